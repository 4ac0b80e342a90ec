// Finishes the upload of a file. A small file is imported at once, a larger one by a job; the call waits a few seconds for its end.
import { setTimeout as sleep } from 'node:timers/promises';
import { audit } from '@clinic/lib/audit/audit.ts';
import { decrypt } from '@clinic/lib/crypto/crypto.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { delimiterOf, parseRows } from './csv-rows-rules.ts';
import { loadImport } from './get-patient-import.ts';
import { columnsOf, ignoredColumns } from './import-columns-rules.ts';
import type { Kind } from './import-kind.ts';
import { countChunks, deleteUnfinished, findChunkIn, lockImport, setRunning } from './patient-imports.sql.ts';
import { NOT_UTF8 } from './read-cells.ts';
import { chunkContext, decoderOf, headerOf, runImport } from './run-import.ts';

const IMMEDIATE_BYTES = 256n * 1024n;
/** Delays the job of a small file, whose immediate run takes less than a second. Of two concurrent runs one stops. */
const FALLBACK_DELAY_MS = 10_000;
const MAX_WAIT_MS = 4_000;
const POLL_MS = 100;

/** The handler that ends the upload of a file with rows of a kind. */
export const finishUpload = (kind: Kind) => async (app: App, request: { id: string; chunks: number }, call: Call) => {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Import not found');
  const named = { clinicId, importId: request.id.toLowerCase() };
  const small = await startImport(app, kind, request, call).catch(async (error: unknown) => {
    await inTenant(app.db, clinicId, (tx) => deleteUnfinished(tx, named.importId));
    throw error;
  });
  if (small)
    await runImport(app, kind, named).catch((error: unknown) =>
      app.log.warn({ err: error, importId: named.importId }, 'import: the immediate run failed, its job will continue it'),
    );
  const until = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const job = await loadImport(app, clinicId, named.importId);
    if (job.status !== 'running' || Date.now() > until) return job;
    await sleep(POLL_MS);
  }
};

/** Starts the import of a complete file, or throws. Returns whether the file is small and was not yet started. */
function startImport(app: App, kind: Kind, request: { id: string; chunks: number }, call: Call): Promise<boolean> {
  const { id: clinicId } = clinicOf(call);
  return inTenant(app.db, clinicId, async (tx) => {
    const job = found(await lockImport(tx, request.id), 'Import');
    if (job.status !== 'receiving') return false;
    if ((await countChunks(tx, job.id)) !== request.chunks || request.chunks === 0) invalid('chunks', 'must be the number of chunks that were received');
    const ignored = await checkHeader(app, tx, job.id, kind);
    const isSmall = job.bytes <= IMMEDIATE_BYTES;
    // Also for a small file: the job continues the import if this process ends before it is done.
    await Promise.all([
      setRunning(tx, job.id, kind.name, ignored),
      audit(tx, clinicId, call.caller, { action: kind.action, entityId: job.id, changes: { dry_run: job.dry_run } }),
      enqueue(tx, kind.job, { clinicId, importId: job.id }, isSmall ? { startAfter: new Date(Date.now() + FALLBACK_DELAY_MS) } : {}),
    ]);
    return isSmall;
  });
}

/** Refuses a file without the required columns as a whole, and returns the titles of those that are ignored. */
async function checkHeader(app: App, tx: TenantTx, importId: string, kind: Kind): Promise<string[]> {
  const ciphertext = found(await findChunkIn(tx, importId, 0), 'Import');
  const content = Buffer.from(decrypt(app.keys, ciphertext, chunkContext(tx.clinicId, importId, 0)), 'base64');
  const header = headerOf(decoderOf(content).decode(content, { stream: true }));
  // An optional column whose title cannot be read would be ignored, and a spreadsheet that is not saved as CSV has no columns at all.
  if (/[\uFFFD\0]/.test(header)) invalid('body', NOT_UTF8);
  async function* line() {
    yield header;
  }
  const { value } = await parseRows(line(), delimiterOf(header)).next();
  const titles: string[] = value ?? [];
  const columns = columnsOf(kind.columns, titles);
  const fault = kind.missing(columns);
  if (fault) invalid('body', fault);
  return ignoredColumns(columns, titles);
}
