// Creates a treatment plan with one empty option, which is the chosen one.
import { parseCents } from '@clinic/lib/formats/money.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent, settled } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateTreatmentPlanRequest, TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { getPatientToChange } from '../../patients/find-patients.ts';
import { parseNotes } from '../parse-fields.ts';
import { publishPlanChange } from '../publish-plan.ts';
import { FIRST_OPTION, insertOption } from '../sql/treatment-options.sql.ts';
import { insertPlan, toProto } from '../sql/treatment-plans.sql.ts';

export async function createTreatmentPlan(app: App, request: CreateTreatmentPlanRequest, call: Call) {
  const fields = {
    title: parseText('title', request.title, 200),
    status: 'active',
    given_total_cents: request.estimatedTotal === undefined ? null : parseCents('estimated_total', request.estimatedTotal),
    notes: parseNotes(request.notes),
  };
  const getPatient = await settled(getPatientToChange(app, call, parseUuid('patient_id', request.patientId)));
  return idempotent(app.db, call, TreatmentPlanService.method.createTreatmentPlan, request, async (tx) => {
    const { id: patientId } = getPatient();
    const [id, now] = [v7(), app.clock.now()];
    const [plan] = await Promise.all([
      insertPlan(tx, id, patientId, fields, now),
      insertOption(tx, { id: v7(), treatment_plan_id: id, name: FIRST_OPTION, is_chosen: true }, now),
    ]);
    await publishPlanChange(tx, call, plan, { action: 'treatment_plan.created', entityId: id });
    return toProto(plan);
  });
}
