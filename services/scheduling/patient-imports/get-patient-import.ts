// The progress of an import, and its errors.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { toCsv } from '@clinic/lib/formats/csv.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ExportPatientImportErrorsRequest, GetPatientImportRequest } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import type { App } from '../app.ts';
import { findImport, listFaults, toImport } from './patient-imports.sql.ts';

const MAX_FAULTS = 100;

export async function getPatientImport(app: App, request: GetPatientImportRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Import not found');
  return loadImport(app, clinicOf(call).id, request.id);
}

/** Throws NOT_FOUND while the file is being uploaded. */
export function loadImport(app: App, clinicId: string, id: string) {
  return inTenant(app.db, clinicId, async (tx) => {
    const [job, faults] = await Promise.all([findImport(tx, id), listFaults(tx, id, 0, MAX_FAULTS)]);
    return toImport(found(job?.status === 'receiving' ? undefined : job, 'Import'), faults);
  });
}

const PAGE = 5_000;

/** As CSV, a page at a time. */
export async function exportPatientImportErrors(app: App, request: ExportPatientImportErrorsRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Import not found');
  const after = request.cursor === '' ? 0 : parseInteger('cursor', Number(request.cursor), 1, 2 ** 31 - 1);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const [job, faults] = await Promise.all([findImport(tx, request.id), listFaults(tx, request.id, after, PAGE)]);
    found(job?.status === 'receiving' ? undefined : job, 'Import');
    const lines = faults.map((fault) => [String(fault.row), fault.column_name, fault.message]);
    return { content: Buffer.from(toCsv(lines, after === 0 ? ['row', 'column', 'message'] : undefined)), nextCursor: nextOf(faults) };
  });
}

const nextOf = (faults: { number: number }[]) => (faults.length === PAGE ? String(faults.at(-1)?.number) : '');
