// Brings the figures of money and treatment in line with what dental tells of a plan. A plan's lines follow from all that
// is known of it, whichever part came last: its payments, its treatment, the visits that this is done in, the clinic's zone.

import type { SystemTx } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { findZone } from '../clinics/clinics.sql.ts';
import { doctorOf, receivableLines, shareOut } from './plan-lines-rules.ts';
import { lockFigures, setFiguresZone } from './sql/figures.sql.ts';
import { remakeReceivableDays, remakeRevenueDays, remakeTreatmentDays } from './sql/money-sums.sql.ts';
import {
  listPlansWithWork,
  type PaymentPlanFacts,
  type PlanReceivable,
  type PlanWithWork,
  type RevenueLine,
  redateTreatments,
  replaceReceivables,
  replaceRevenue,
  type TreatmentFacts,
  upsertPaymentPlanFacts,
  upsertTreatmentFacts,
  type Which,
} from './sql/plans.sql.ts';

export async function countPaymentPlans(tx: SystemTx, clinicId: string, plans: PaymentPlanFacts[]): Promise<void> {
  const zone = await lockFigures(tx, clinicId);
  const news = await Promise.all(plans.map((plan) => upsertPaymentPlanFacts(tx, clinicId, plan)));
  await remakeMoney(tx, clinicId, zone, { ids: plans.filter((_, index) => news[index]).map(({ payment_plan_id }) => payment_plan_id) });
}

export async function countTreatments(tx: SystemTx, clinicId: string, plans: Omit<TreatmentFacts, 'opened_on'>[]): Promise<void> {
  const zone = await lockFigures(tx, clinicId);
  const dated = plans.map((plan) => ({ ...plan, opened_on: dateIn(zone, plan.opened_at) }));
  const heard = await Promise.all(dated.map((plan) => upsertTreatmentFacts(tx, clinicId, plan)));
  const news = dated.filter((_, index) => heard[index]);
  await Promise.all([
    remakeTreatmentDays(tx, clinicId, [...new Set(news.map(({ opened_on }) => opened_on))]),
    remakeMoney(tx, clinicId, zone, { treatments: news.map(({ treatment_plan_id }) => treatment_plan_id) }),
  ]);
}

/** Lays all money and treatment to the days of the clinic's zone, when that is another one than before. */
export async function countInZone(tx: SystemTx, clinicId: string): Promise<void> {
  const before = await lockFigures(tx, clinicId);
  const timezone = await findZone(tx, clinicId);
  if (timezone === before) return;
  await setFiguresZone(tx, clinicId, timezone);
  await remakeTreatmentDays(tx, clinicId, await redateTreatments(tx, clinicId, timezone));
  await remakeMoney(tx, clinicId, timezone, 'all');
}

/** Makes the lines of some plans anew, and the sums of the days that they touch. Under the lock of the clinic's figures. */
export async function remakeMoney(tx: SystemTx, clinicId: string, zone: string, which: Which): Promise<void> {
  if (which !== 'all' && Object.values(which).every((ids) => ids.length === 0)) return;
  const plans = await listPlansWithWork(tx, clinicId, which);
  if (plans.length === 0) return;
  const ids = plans.map(({ payment_plan_id }) => payment_plan_id);
  const lines = plans.map((plan) => linesOf(plan, zone));
  const [earned, owed] = await Promise.all([
    replaceRevenue(
      tx,
      clinicId,
      ids,
      lines.flatMap(({ revenue }) => revenue),
    ),
    replaceReceivables(
      tx,
      clinicId,
      ids,
      lines.flatMap(({ receivables }) => receivables),
    ),
  ]);
  await Promise.all([remakeRevenueDays(tx, clinicId, earned), remakeReceivableDays(tx, clinicId, owed)]);
}

function linesOf(plan: PlanWithWork, zone: string): { revenue: RevenueLine[]; receivables: PlanReceivable[] } {
  const { payment_plan_id, steps, visits, instalments } = plan;
  const payments = plan.payments.map((payment) => ({ ...payment, date: dateIn(zone, payment.paid_at) }));
  const revenue = payments.flatMap(({ payment_id, cents, paid_at, date }) => {
    const doctor_id = doctorOf(visits, paid_at);
    return shareOut(cents, steps).map((share) => ({ ...share, payment_id, payment_plan_id, date, doctor_id }));
  });
  const opened = { ...plan, opened_on: dateIn(zone, plan.opened_at) };
  return { revenue, receivables: receivableLines(opened, instalments, payments).map((line) => ({ ...line, payment_plan_id })) };
}
