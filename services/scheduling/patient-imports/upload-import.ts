// Begins an import, and stores the chunks of its file until it is finished. They are encrypted, since they contain personal data.
import { encrypt } from '@clinic/lib/crypto/crypto.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, failFor, found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { MAX_IMPORT_BYTES } from '@clinic/lib/formats/upload-limits.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { AppendPatientImportRequest, BeginPatientImportRequest } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertChunk, insertImport, lockImport, sumUnfinished } from './patient-imports.sql.ts';
import { chunkContext, UNFINISHED_MS } from './run-import.ts';

/** The bytes of incomplete files that a clinic may have stored when another import begins. */
const MAX_UNFINISHED_BYTES = 10 * MAX_IMPORT_BYTES;

/** The audit log records the import when the file is complete. */
export async function beginPatientImport(app: App, request: BeginPatientImportRequest, call: Call) {
  const clinic = clinicOf(call);
  const id = v7();
  const begun = { id, dry_run: request.dryRun, country: clinic.country, created_by: call.caller.id };
  await inTenant(app.db, clinic.id, async (tx) => {
    if ((await sumUnfinished(tx)) >= MAX_UNFINISHED_BYTES) failFor('RATE_LIMITED', UNFINISHED_MS / 1_000);
    await insertImport(tx, begun, app.clock.now());
  });
  return { id };
}

const MAX_CHUNK_BYTES = 256 * 1024;
const MAX_CHUNKS = 1_024;

export async function appendPatientImport(app: App, request: AppendPatientImportRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Import not found');
  const seq = parseInteger('seq', request.seq, 0, MAX_CHUNKS - 1);
  if (request.content.length === 0 || request.content.length > MAX_CHUNK_BYTES) invalid('content', `must have 1 to ${MAX_CHUNK_BYTES} bytes`);
  const ciphertext = encrypt(app.keys, Buffer.from(request.content).toString('base64'), chunkContext(clinicId, request.id.toLowerCase(), seq));
  await inTenant(app.db, clinicId, async (tx) => {
    const job = found(await lockImport(tx, request.id), 'Import');
    if (job.status !== 'receiving') fail('CONFLICT', 'The import was already finished');
    if (Number(job.bytes) + request.content.length > MAX_IMPORT_BYTES) fail('PAYLOAD_TOO_LARGE');
    await insertChunk(tx, job.id, seq, ciphertext, request.content.length);
  });
  return {};
}
