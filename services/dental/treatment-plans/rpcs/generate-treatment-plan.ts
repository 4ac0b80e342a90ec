// Creates a treatment plan from the chart: one step per untreated finding that no open step of an active or paused plan treats, most urgent first, at the clinic's prices.
import { fail } from '@clinic/lib/errors/errors.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent, settled } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type GenerateTreatmentPlanRequest, TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { untreatedFindings } from '../../charts/rules/untreated.ts';
import { findChart, lockChart } from '../../charts/sql/chart-entries.sql.ts';
import { getPatientToChange } from '../../patients/find-patients.ts';
import { listPrices } from '../../prices/prices.sql.ts';
import { parseNotes } from '../parse-fields.ts';
import { getPlanDetail, toDetail } from '../plan-detail.ts';
import { publishPlanChange } from '../publish-plan.ts';
import { stepsFor } from '../rules/generated-steps.ts';
import { isPlanned } from '../rules/step-finding.ts';
import { FIRST_OPTION, insertOption } from '../sql/treatment-options.sql.ts';
import { insertPlan } from '../sql/treatment-plans.sql.ts';
import { insertStep, listPlannedPlaces } from '../sql/treatment-steps.sql.ts';

export async function generateTreatmentPlan(app: App, request: GenerateTreatmentPlanRequest, call: Call) {
  const title = parseOptionalText('title', request.title, 200) ?? 'Plan de tratamiento';
  const notes = parseNotes(request.notes);
  const getPatient = await settled(getPatientToChange(app, call, parseUuid('patient_id', request.patientId)));
  return idempotent(app.db, call, TreatmentPlanService.method.generateTreatmentPlan, request, async (tx) => {
    const { id: patientId } = getPatient();
    // Of concurrent requests, the later one waits here and then finds the steps of the earlier one.
    await lockChart(tx, tx.clinicId, patientId);
    const [{ findings }, planned, prices] = await Promise.all([findChart(tx, tx.clinicId, patientId), listPlannedPlaces(tx, patientId), listPrices(tx)]);
    const open = untreatedFindings(findings).filter((finding) => !isPlanned(finding, planned));
    const steps = stepsFor(open, prices);
    if (steps.length === 0) fail('NOTHING_TO_TREAT');
    const [id, optionId, now] = [v7(), v7(), app.clock.now()];
    const pending = { status: 'pending', notes: null, appointment_id: null, completed_by_visit: false } as const;
    const [plan] = await Promise.all([
      insertPlan(tx, id, patientId, { title, status: 'active', given_total_cents: null, notes }, now),
      insertOption(tx, { id: optionId, treatment_plan_id: id, name: FIRST_OPTION, is_chosen: true }, now),
      ...steps.map((step) => insertStep(tx, { id: v7(), treatment_plan_id: id, option_id: optionId, ...step, ...pending }, now)),
    ]);
    await publishPlanChange(tx, call, plan, { action: 'treatment_plan.generated', entityId: id, changes: { steps: steps.length } });
    return toDetail(await getPlanDetail(tx, id));
  });
}
