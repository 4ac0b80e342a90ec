// Files of a patient: the list, and what is known of each.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPatientFileRequest, GetStorageUsageRequest, ListPatientFilesRequest } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import type { App } from '../app.ts';
import { parsePeriod } from '../clinics/parse-period.ts';
import { requireRecord } from '../patient-records/records.sql.ts';
import { FILE_KINDS } from './file-rules.ts';
import { findFile, listFiles, toProto } from './files.sql.ts';
import { sumSizes } from './uploads.sql.ts';

export async function listPatientFiles(app: App, request: ListPatientFilesRequest, call: Call) {
  const { id: clinicId, timezone } = clinicOf(call);
  const page = parsePage(request, 50, 500);
  const { patientId, kind } = request;
  const filter = {
    patientId,
    kind: kind === undefined ? null : parseOneOf('kind', kind, FILE_KINDS),
    search: parseOptionalText('search', request.search, 200),
    ...parsePeriod(request, timezone),
  };
  await requireRecord(app.db, clinicId, patientId);
  const { rows, total } = await listFiles(app.db, clinicId, filter, page);
  return { files: rows.map(toProto), total, page: page.page, limit: page.limit };
}

export async function getPatientFile(app: App, { patientId, id }: GetPatientFileRequest, call: Call) {
  if (!isUuid(patientId) || !isUuid(id)) fail('NOT_FOUND', 'File not found');
  return toProto(found(await inTenant(app.db, clinicOf(call).id, (tx) => findFile(tx, patientId, id)), 'File'));
}

/** How much of the quota the clinic's files use. */
export const getStorageUsage = async (app: App, _request: GetStorageUsageRequest, call: Call) => ({
  bytes: await inTenant(app.db, clinicOf(call).id, sumSizes),
});
