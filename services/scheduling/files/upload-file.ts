// Uploads a file: its chunks are stored encrypted in the database, where every process finds them, and then moved to the store.
import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { audit } from '@clinic/lib/audit/audit.ts';
import { CONTENT_CHUNK_BYTES, chunkCount, decryptChunk, decryptedSize, encryptChunk, encryptedSize, newContentKey } from '@clinic/lib/crypto/content.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseInteger, parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { MAX_PATIENT_FILE_BYTES } from '@clinic/lib/formats/upload-limits.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import {
  type AppendPatientFileRequest,
  type BeginPatientFileRequest,
  type FinishPatientFileRequest,
  FinishPatientFileRequestSchema,
  PatientFileService,
} from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { lockRecord } from '../patient-records/records.sql.ts';
import { decryptKey, encryptKey, objectKey } from './content-keys.ts';
import { MAKE_THUMBNAIL } from './file-jobs.ts';
import { type ContentType, cleanName, FILE_KINDS, isImage, kindOf, quotaOf, typeOf } from './file-rules.ts';
import { findFile, toProto } from './files.sql.ts';
import {
  deleteUpload,
  findChunk,
  findUpload,
  insertChunk,
  insertUpload,
  lockAndSumSizes,
  lockUpload,
  setReserved,
  setStored,
  sumChunks,
  type UploadRow,
} from './uploads.sql.ts';
import { startVirusScan } from './virus-scan.ts';

const NOUN = 'Upload';
const FINISHED = 'The upload was already finished';
const COUNT = 'must be the number of chunks that were received';
export const MAX_DESCRIPTION = 1_000;

export async function beginPatientFile(app: App, request: BeginPatientFileRequest, call: Call) {
  const { id: clinicId, plan } = clinicOf(call);
  if (!isUuid(request.patientId)) fail('NOT_FOUND', 'Patient not found');
  const kind = request.kind === undefined ? null : parseOneOf('kind', request.kind, FILE_KINDS);
  const description = parseOptionalText('description', request.description, MAX_DESCRIPTION);
  const id = v7();
  await inTenant(app.db, clinicId, async (tx) => {
    const patient_id = await lockRecord(tx, request.patientId);
    // An early refusal, before the content is sent. finishPatientFile() decides.
    if ((await lockAndSumSizes(tx)) >= quotaOf(plan)) fail('STORAGE_QUOTA_REACHED');
    const key_sealed = encryptKey(app.keys, clinicId, id, newContentKey());
    const upload = { id, patient_id, name: cleanName(request.name) || 'archivo', kind, description, size: 0n, key_sealed, uploaded_by: call.caller.id };
    await insertUpload(tx, upload, app.clock.now());
  });
  return { id };
}

export async function appendPatientFile(app: App, { id, seq, content }: AppendPatientFileRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', `${NOUN} not found`);
  const number = parseInteger('seq', seq, 0, chunkCount(MAX_PATIENT_FILE_BYTES) - 1);
  if (content.length === 0 || content.length > CONTENT_CHUNK_BYTES) invalid('content', `must have 1 to ${CONTENT_CHUNK_BYTES} bytes`);
  const { id: clinicId } = clinicOf(call);
  const upload = found(await findUpload(app.db, clinicId, id), NOUN);
  if (upload.reserved_at) fail('CONFLICT', FINISHED);
  const encrypted = encryptChunk(decryptKey(app.keys, clinicId, upload), number, content);
  await inTenant(app.db, clinicId, (tx) => insertChunk(tx, upload.id, number, encrypted));
  return {};
}

export async function finishPatientFile(app: App, request: FinishPatientFileRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', `${NOUN} not found`);
  const id = request.id.toLowerCase();
  const discard = () => inTenant(app.db, clinic.id, (tx) => deleteUpload(tx, id));
  try {
    const upload = await reserve(app, clinic, id, request.chunks);
    if (!upload.fits && call.idempotencyKey === undefined) fail('STORAGE_QUOTA_REACHED');
    const content = await storeChunks(app, clinic.id, upload);
    const stored = { ...content, kind: upload.kind ?? kindOf(content.content_type) };
    // Each upload has a new id, so the Idempotency-Key is compared with the content instead.
    const { patient_id, name, description } = upload;
    const same = createHash('sha256').update(JSON.stringify([patient_id, name, stored.kind, description, stored.hash.toString('hex')]));
    const repeatable = create(FinishPatientFileRequestSchema, { id: same.digest('hex'), chunks: request.chunks });
    const reply = await idempotent(app.db, call, PatientFileService.method.finishPatientFile, repeatable, async (tx) => {
      if (!upload.fits) fail('STORAGE_QUOTA_REACHED'); // a repeated call gets its file, which the quota counts already
      if (!(await setStored(tx, id, stored, app.clock.now()))) fail('CONFLICT', FINISHED);
      const changes = { patient_id, hash: stored.hash.toString('hex'), size: Number(upload.size) };
      await audit(tx, clinic.id, call.caller, { action: 'patient_file.uploaded', entityId: id, changes });
      if (isImage(stored.content_type)) await enqueue(tx, MAKE_THUMBNAIL, { clinicId: clinic.id, fileId: id });
      return toProto(found(await findFile(tx, patient_id, id), 'File'));
    });
    if (reply.id !== id) await discard();
    return reply;
  } catch (error) {
    await discard();
    throw error;
  }
}

type Reserved = UploadRow & { fits: boolean };

/** Counts the file against the quota of the clinic's plan, if it fits. */
function reserve(app: App, { id: clinicId, plan }: { id: string; plan: string }, id: string, chunks: number): Promise<Reserved> {
  return inTenant(app.db, clinicId, async (tx) => {
    const upload = found(await lockUpload(tx, id), NOUN);
    if (upload.reserved_at) fail('CONFLICT', FINISHED);
    const { count, bytes } = await sumChunks(tx, id);
    if (count === 0 || count !== chunks) invalid('chunks', COUNT);
    const size = BigInt(decryptedSize(bytes));
    const fits = Number((await lockAndSumSizes(tx)) + size) <= quotaOf(plan);
    if (fits) await setReserved(tx, id, size, app.clock.now());
    return { ...upload, size, fits };
  });
}

/** Moves the chunks from the database to the store, if the file fits, and returns the type and the hash of the content. */
async function storeChunks(app: App, clinicId: string, upload: Reserved): Promise<{ content_type: ContentType; hash: Buffer }> {
  const key = decryptKey(app.keys, clinicId, upload);
  const size = Number(upload.size);
  const hash = createHash('sha256');
  const scan = startVirusScan(app);
  let type: ContentType | undefined;
  async function* chunks() {
    const last = chunkCount(size) - 1;
    for (let seq = 0; seq <= last; seq++) {
      const encrypted = await findChunk(app.db, clinicId, upload.id, seq);
      if (!encrypted) invalid('chunks', COUNT);
      const content = decryptChunk(key, seq, encrypted);
      if (seq < last && content.length < CONTENT_CHUNK_BYTES) invalid('chunks', `must have ${CONTENT_CHUNK_BYTES} bytes, except the last one`);
      if (seq === 0) type = typeOf(content) ?? fail('UNSUPPORTED_MEDIA_TYPE', 'Send a file of one of these types: JPEG, PNG, WebP, PDF, DICOM');
      hash.update(content);
      await scan.add(content);
      yield encrypted;
    }
  }
  try {
    if (upload.fits) await app.files.put(objectKey(clinicId, upload.id), encryptedSize(size), chunks());
    else for await (const _ of chunks()); // only for the hash
    await scan.finish();
  } finally {
    scan.close();
  }
  return { content_type: type as ContentType, hash: hash.digest() }; // there is at least one chunk
}
