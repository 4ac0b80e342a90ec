// Prescriptions of a patient.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPrescriptionRequest, ListPrescriptionsRequest } from '@clinic/proto/scheduling/v1/prescription_pb.js';
import type { App } from '../app.ts';
import { parsePeriod } from '../clinics/parse-period.ts';
import { requireRecord } from '../patient-records/records.sql.ts';
import { findPrescription, listPrescriptions as listPage, type PrescriptionRow, toProto } from './prescriptions.sql.ts';

export async function listPrescriptions(app: App, request: ListPrescriptionsRequest, call: Call) {
  const { id: clinicId, timezone } = clinicOf(call);
  const { patientId, authorId } = request;
  const page = parsePage(request, 50, 500);
  const filter = {
    authorId: authorId === undefined ? null : parseUuid('author_id', authorId),
    ...parsePeriod(request, timezone),
  };
  await requireRecord(app.db, clinicId, patientId);
  const { rows, total } = await listPage(app.db, clinicId, patientId, filter, page);
  return { prescriptions: rows.map(toProto), total, page: page.page, limit: page.limit };
}

export const getPrescription = async (app: App, request: GetPrescriptionRequest, call: Call) => toProto(await requirePrescription(app, request, call));

export async function requirePrescription(app: App, { patientId, id }: { patientId: string; id: string }, call: Call): Promise<PrescriptionRow> {
  if (!isUuid(patientId) || !isUuid(id)) fail('NOT_FOUND', 'Prescription not found');
  return found(await findPrescription(app.db, clinicOf(call).id, patientId, id), 'Prescription');
}
