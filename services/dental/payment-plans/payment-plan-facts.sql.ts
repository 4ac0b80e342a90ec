// Payment plans with their instalments and payments, over all clinics, for services that rebuild their statistics.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, readSystem, sql } from '@clinic/lib/db/db.ts';
import type { PaymentPlanFactsSchema } from '@clinic/proto/dental/v1/states_pb.js';
import { type PaymentPlanState, STATE_COLUMNS, toState } from './payment-plans.sql.ts';

type PaymentPlanFacts = PaymentPlanState & {
  clinic_id: string;
  created_at: Date;
  instalments: { due_date: string; cents: string }[];
  payments: { id: string; cents: string; method: string; paid_at: string }[];
};

// Cents are text inside JSON, because a bigint may exceed the range of JSON numbers.
const PAYMENT_PLANS = `
  select ${STATE_COLUMNS}, p.created_at,
    (select coalesce(json_agg(json_build_object('due_date', i.due_date, 'cents', i.amount_cents::text) order by i.number), '[]')
     from payment_instalments i where i.clinic_id = p.clinic_id and i.payment_plan_id = p.id) as instalments,
    (select coalesce(json_agg(json_build_object('id', y.id, 'cents', y.amount_cents::text, 'method', y.payment_method, 'paid_at', y.paid_at) order by y.paid_at, y.id), '[]')
     from payments y where y.clinic_id = p.clinic_id and y.payment_plan_id = p.id and y.voided_at is null) as payments
  from payment_plans p`;

const findStatement = sql<PaymentPlanFacts>(`
  ${PAYMENT_PLANS}
  where (p.clinic_id, p.id) in (select clinic_id, id from unnest($1::uuid[], $2::uuid[]) as wanted (clinic_id, id))`);

/** Those of the plans that exist. */
export const findPaymentPlanFacts = (db: Db, plans: { clinicId: string; id: string }[]) =>
  readSystem(db, findStatement, [plans.map(({ clinicId }) => clinicId), plans.map(({ id }) => id)]);

const listStatement = sql<PaymentPlanFacts>(`${PAYMENT_PLANS} where (p.clinic_id, p.id) > ($1, $2) order by p.clinic_id, p.id limit $3`);

/** A page by clinic and id, after the given ones. */
export const listPaymentPlanFacts = (db: Db, afterClinicId: string, afterId: string, limit: number) =>
  readSystem(db, listStatement, [afterClinicId, afterId, limit]);

export function toPaymentPlanFacts(plan: PaymentPlanFacts): MessageInitShape<typeof PaymentPlanFactsSchema> {
  return {
    clinicId: plan.clinic_id,
    paymentPlan: toState(plan),
    openedAt: timestampFromDate(plan.created_at),
    instalments: plan.instalments.map(({ due_date, cents }) => ({ dueDate: due_date, amountCents: BigInt(cents) })),
    payments: plan.payments.map(({ id, cents, method, paid_at }) => ({
      paymentId: id,
      amountCents: BigInt(cents),
      paymentMethod: method,
      paidAt: timestampFromDate(new Date(paid_at)),
    })),
  };
}
