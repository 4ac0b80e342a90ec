// Brings stored figures up to date with the records that an event touched. Everything is counted again from the current state, so
// that events may repeat and arrive in any order. Each function locks the clinic's figures until the transaction ends.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { TaxDocumentChanged } from '@clinic/proto/events/v1/dte_pb.js';
import { DEFAULT_ZONE, findZone } from '../clinics/clinics.sql.ts';
import { doctorOf, receivableLines, splitPayment } from './plan-lines-rules.ts';
import { type ClinicPatient, type DoctorDay, rebuildAppointmentDays, rebuildPatientDays } from './sql/appointment-sums.sql.ts';
import { lockAllFigures, lockFigures, setFiguresZone } from './sql/figures.sql.ts';
import { rebuildDocumentDays, rebuildReceivableDays, rebuildRevenueDays, rebuildTreatmentDays, upsertDocument } from './sql/money-sums.sql.ts';
import {
  type ClinicAppointment,
  listPaidPlans,
  listPlans,
  type PaymentPlanFacts,
  type PlanReceivable,
  type PlanWithTreatment,
  type RevenueLine,
  redateTreatments,
  replaceReceivables,
  replaceRevenue,
  type TreatmentFacts,
  upsertPaymentPlanFacts,
  upsertTreatmentFacts,
  type Which,
} from './sql/plans.sql.ts';

/** The doctors' days that appointments are or were on, the patients of completed appointments, and the appointments themselves. */
export type Touched = { days: DoctorDay[]; patients: ClinicPatient[]; appointments: ClinicAppointment[] };

export async function updateAppointmentFigures(tx: SystemTx, { days, patients, appointments }: Touched): Promise<void> {
  const zones = await lockAllFigures(
    tx,
    [...days, ...patients, ...appointments].map(({ clinicId }) => clinicId),
  );
  const [, , paid] = await Promise.all([rebuildAppointmentDays(tx, days), rebuildPatientDays(tx, patients), listPaidPlans(tx, appointments)]);
  for (const [clinicId, plans] of Map.groupBy(paid, (plan) => plan.clinicId))
    await rebuildMoney(tx, clinicId, zones.get(clinicId) ?? DEFAULT_ZONE, { ids: plans.map(({ id }) => id) });
}

/** Documents whose revision is not above the stored one are ignored. */
export async function updateDocumentFigures(tx: SystemTx, clinicId: string, documents: TaxDocumentChanged[]): Promise<void> {
  await lockFigures(tx, clinicId);
  const days = await Promise.all(documents.map((document) => upsertDocument(tx, clinicId, document)));
  await rebuildDocumentDays(tx, clinicId, [...new Set(days.flat())]);
}

export async function updatePaymentPlanFigures(tx: SystemTx, clinicId: string, plans: PaymentPlanFacts[]): Promise<void> {
  const zone = await lockFigures(tx, clinicId);
  const changed = await Promise.all(plans.map((plan) => upsertPaymentPlanFacts(tx, clinicId, plan)));
  await rebuildMoney(tx, clinicId, zone, { ids: plans.filter((_, index) => changed[index]).map(({ payment_plan_id }) => payment_plan_id) });
}

export async function updateTreatmentFigures(tx: SystemTx, clinicId: string, plans: Omit<TreatmentFacts, 'opened_on'>[]): Promise<void> {
  const zone = await lockFigures(tx, clinicId);
  const dated = plans.map((plan) => ({ ...plan, opened_on: dateIn(zone, plan.opened_at) }));
  const changed = await Promise.all(dated.map((plan) => upsertTreatmentFacts(tx, clinicId, plan)));
  const treatments = dated.filter((_, index) => changed[index]);
  await Promise.all([
    rebuildTreatmentDays(tx, clinicId, [...new Set(treatments.map(({ opened_on }) => opened_on))]),
    rebuildMoney(tx, clinicId, zone, { treatments: treatments.map(({ treatment_plan_id }) => treatment_plan_id) }),
  ]);
}

/** Dates all money and treatment again when the clinic's zone has changed. */
export async function updateFiguresZone(tx: SystemTx, clinicId: string): Promise<void> {
  const before = await lockFigures(tx, clinicId);
  const zone = await findZone(tx, clinicId);
  if (zone === before) return;
  await setFiguresZone(tx, clinicId, zone);
  await rebuildTreatmentDays(tx, clinicId, await redateTreatments(tx, clinicId, zone));
  await rebuildMoney(tx, clinicId, zone, 'all');
}

/** Replaces the lines of some payment plans, and the sums of the days of old and new lines. */
async function rebuildMoney(tx: SystemTx, clinicId: string, zone: string, which: Which): Promise<void> {
  if (which !== 'all' && Object.values(which).every((ids) => ids.length === 0)) return;
  const plans = await listPlans(tx, clinicId, which);
  if (plans.length === 0) return;
  const ids = plans.map(({ payment_plan_id }) => payment_plan_id);
  const lines = plans.map((plan) => linesOf(plan, zone));
  const revenue = lines.flatMap((one) => one.revenue);
  const receivables = lines.flatMap((one) => one.receivables);
  const [revenueDates, receivableDates] = await Promise.all([replaceRevenue(tx, clinicId, ids, revenue), replaceReceivables(tx, clinicId, ids, receivables)]);
  await Promise.all([rebuildRevenueDays(tx, clinicId, revenueDates), rebuildReceivableDays(tx, clinicId, receivableDates)]);
}

function linesOf(plan: PlanWithTreatment, zone: string): { revenue: RevenueLine[]; receivables: PlanReceivable[] } {
  const { payment_plan_id, steps, appointments, instalments } = plan;
  const payments = plan.payments.map((payment) => ({ ...payment, date: dateIn(zone, payment.paid_at) }));
  const revenue = payments.flatMap(({ payment_id, cents, paid_at, date }) => {
    const doctor_id = doctorOf(appointments, paid_at);
    return splitPayment(cents, steps).map((share) => ({ ...share, payment_id, payment_plan_id, date, doctor_id }));
  });
  const opened = { ...plan, opened_on: dateIn(zone, plan.opened_at) };
  return { revenue, receivables: receivableLines(opened, instalments, payments).map((line) => ({ ...line, payment_plan_id })) };
}
