// A page of the treatment plans of the clinic or of one patient. For a patient of another clinic it is empty.
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListTreatmentPlansRequest } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../../app.ts';
import { remainingId } from '../../patients/merges.sql.ts';
import { PLAN_STATUSES } from '../rules/step-status.ts';
import { findTreatmentPlanPage, toProto } from '../sql/treatment-plans.sql.ts';

export async function listTreatmentPlans(app: App, request: ListTreatmentPlansRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 500, 500);
  const { patientId, status } = request;
  const filter = {
    patientId: patientId === undefined ? undefined : await remainingId(app.db, id, parseUuid('patient_id', patientId)),
    status: status === undefined ? undefined : parseOneOf('status', status, PLAN_STATUSES),
  };
  const { rows, total } = await findTreatmentPlanPage(app.db, id, filter, limit, offset);
  return { plans: rows.map(toProto), total, page, limit };
}
