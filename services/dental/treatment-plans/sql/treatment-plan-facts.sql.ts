// Treatment plans with the steps of their chosen option, over all clinics, for services that rebuild their statistics.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, readSystem, sql } from '@clinic/lib/db/db.ts';
import type { TreatmentPlanFactsSchema } from '@clinic/proto/dental/v1/states_pb.js';
import { type PlanState, toState } from './treatment-plans.sql.ts';

type TreatmentPlanFacts = PlanState & {
  clinic_id: string;
  created_at: Date;
  total_cents: bigint;
  quote_accepted: boolean;
  steps: { code: string | null; status: string; cents: string | null; appointment_id: string | null }[];
};

const TREATMENT_PLANS = `
  select p.clinic_id, p.id, p.patient_id, p.status, p.revision, p.created_at,
    coalesce(p.given_total_cents, chosen.cents, 0)::bigint as total_cents, chosen.steps,
    exists (select from quotes q join quote_acceptances a on a.clinic_id = q.clinic_id and a.quote_id = q.id
      where q.clinic_id = p.clinic_id and q.treatment_plan_id = p.id) as quote_accepted
  from treatment_plans p
  cross join lateral (
    select sum(s.estimated_cost_cents) filter (where s.status <> 'skipped') as cents,
      coalesce(json_agg(json_build_object('code', s.procedure_code, 'status', s.status, 'cents', s.estimated_cost_cents::text,
        'appointment_id', s.appointment_id) order by s.step_order), '[]') as steps
    from treatment_options o join treatment_steps s on s.clinic_id = o.clinic_id and s.treatment_plan_id = o.treatment_plan_id and s.option_id = o.id
    where o.clinic_id = p.clinic_id and o.treatment_plan_id = p.id and o.is_chosen
  ) chosen`;

const findStatement = sql<TreatmentPlanFacts>(`
  ${TREATMENT_PLANS}
  where (p.clinic_id, p.id) in (select clinic_id, id from unnest($1::uuid[], $2::uuid[]) as wanted (clinic_id, id))`);

/** Those of the plans that exist. */
export const findTreatmentPlanFacts = (db: Db, plans: { clinicId: string; id: string }[]) =>
  readSystem(db, findStatement, [plans.map(({ clinicId }) => clinicId), plans.map(({ id }) => id)]);

const listStatement = sql<TreatmentPlanFacts>(`${TREATMENT_PLANS} where (p.clinic_id, p.id) > ($1, $2) order by p.clinic_id, p.id limit $3`);

/** A page by clinic and id, after the given ones. */
export const listTreatmentPlanFacts = (db: Db, afterClinicId: string, afterId: string, limit: number) =>
  readSystem(db, listStatement, [afterClinicId, afterId, limit]);

export function toTreatmentPlanFacts(plan: TreatmentPlanFacts): MessageInitShape<typeof TreatmentPlanFactsSchema> {
  return {
    clinicId: plan.clinic_id,
    treatmentPlan: toState(plan),
    openedAt: timestampFromDate(plan.created_at),
    totalCents: plan.total_cents,
    quoteAccepted: plan.quote_accepted,
    steps: plan.steps.map(({ code, status, cents, appointment_id }) => ({
      procedureCode: code ?? '',
      status,
      costCents: BigInt(cents ?? 0),
      appointmentId: appointment_id ?? '',
    })),
  };
}
