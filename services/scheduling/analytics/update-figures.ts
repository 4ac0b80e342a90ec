// Updates the stored figures for the records that an event changed. Everything is counted again from the current state, so that
// events may repeat and arrive in any order. Each function locks the figures of its clinics until the transaction ends.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { DEFAULT_ZONE, dateIn } from '@clinic/lib/formats/local-date.ts';
import type { TaxDocumentChanged } from '@clinic/proto/events/v1/dte_pb.js';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { appointmentNear } from '../commissions/commission-rules.ts';
import { receivableLines, splitPayment } from './plan-lines-rules.ts';
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
  upsertPaymentPlans,
  upsertTreatments,
} from './sql/plans.sql.ts';

/** The doctors' days on which the appointments are or were, the patients of completed appointments, and the appointments themselves. */
type Touched = { days: DoctorDay[]; patients: ClinicPatient[]; appointments: ClinicAppointment[] };

export async function updateAppointmentFigures(tx: SystemTx, { days, patients, appointments }: Touched): Promise<void> {
  const clinics = [...days, ...patients, ...appointments].map(({ clinicId }) => clinicId);
  const [zones, plans] = await Promise.all([
    lockAllFigures(tx, clinics),
    listPaidPlans(tx, appointments),
    rebuildAppointmentDays(tx, days),
    rebuildPatientDays(tx, patients),
  ]);
  await rebuildMoney(tx, zones, await listPlans(tx, { plans }));
}

/** Documents whose revision is not above the stored one are ignored. */
export async function updateDocumentFigures(tx: SystemTx, clinicId: string, documents: TaxDocumentChanged[]): Promise<void> {
  await lockFigures(tx, clinicId);
  rebuildDocumentDays(tx, (await Promise.all(documents.map((document) => upsertDocument(tx, clinicId, document)))).flat());
}

export async function updatePaymentPlanFigures(tx: SystemTx, plans: PaymentPlanFacts[]): Promise<void> {
  const [zones, records] = await Promise.all([lockAllFigures(tx, plans.map(clinicOf)), upsertPaymentPlans(tx, plans)]);
  const ids = new Set(records.map(({ id }) => id));
  const changed = plans.filter(({ payment_plan_id }) => ids.has(payment_plan_id));
  const treated = changed
    .filter(({ treatment_plan_id }) => treatment_plan_id !== null)
    .map(({ clinic_id, payment_plan_id }) => ({ clinicId: clinic_id, id: payment_plan_id }));
  // Their lines depend on nothing else that is stored.
  const untreated = changed.filter(({ treatment_plan_id }) => treatment_plan_id === null).map((plan) => ({ ...plan, steps: [], appointments: [] }));
  await rebuildMoney(tx, zones, [...untreated, ...(await listPlans(tx, { plans: treated }))]);
}

export async function updateTreatmentFigures(tx: SystemTx, plans: Omit<TreatmentFacts, 'opened_on'>[]): Promise<void> {
  const zones = await lockAllFigures(tx, plans.map(clinicOf));
  const dated = plans.map((plan) => ({ ...plan, opened_on: dateIn(zoneOf(zones, plan), plan.opened_at) }));
  const treatments = await upsertTreatments(tx, dated);
  rebuildTreatmentDays(tx, treatments);
  await rebuildMoney(tx, zones, await listPlans(tx, { treatments }));
}

/** Assigns all money and treatment to dates again when the clinic's zone has changed. */
export async function updateFiguresZone(tx: SystemTx, clinicId: string): Promise<void> {
  const before = await lockFigures(tx, clinicId);
  const zone = await findZoneIn(tx, clinicId);
  if (zone === before) return;
  await setFiguresZone(tx, clinicId, zone);
  rebuildTreatmentDays(tx, await redateTreatments(tx, clinicId, zone));
  await rebuildMoney(tx, new Map([[clinicId, zone]]), await listPlans(tx, { clinicId }));
}

const clinicOf = ({ clinic_id }: { clinic_id: string }) => clinic_id;
const zoneOf = (zones: Map<string, string>, { clinic_id }: { clinic_id: string }) => zones.get(clinic_id) ?? DEFAULT_ZONE;

/** Replaces the lines of some payment plans, and the sums of the days of old and new lines. `zones` are those of the clinics. */
async function rebuildMoney(tx: SystemTx, zones: Map<string, string>, plans: PlanWithTreatment[]): Promise<void> {
  if (plans.length === 0) return;
  const ids = plans.map(({ clinic_id, payment_plan_id }) => ({ clinicId: clinic_id, id: payment_plan_id }));
  const lines = plans.map((plan) => linesOf(plan, zoneOf(zones, plan)));
  const revenue = lines.flatMap((one) => one.revenue);
  const receivables = lines.flatMap((one) => one.receivables);
  const [revenueDates, receivableDates] = await Promise.all([replaceRevenue(tx, ids, revenue), replaceReceivables(tx, ids, receivables)]);
  rebuildRevenueDays(tx, revenueDates);
  rebuildReceivableDays(tx, receivableDates);
}

function linesOf(plan: PlanWithTreatment, zone: string): { revenue: RevenueLine[]; receivables: PlanReceivable[] } {
  const { clinic_id, payment_plan_id, steps, appointments, instalments } = plan;
  const payments = plan.payments.map((payment) => ({ ...payment, date: dateIn(zone, payment.paid_at) }));
  const revenue = payments.flatMap(({ payment_id, cents, paid_at, date }) => {
    const doctor_id = appointmentNear(appointments, paid_at)?.doctor_id ?? null;
    return splitPayment(cents, steps).map((share) => ({ ...share, clinic_id, payment_id, payment_plan_id, date, doctor_id }));
  });
  const opened = { ...plan, opened_on: dateIn(zone, plan.opened_at) };
  return { revenue, receivables: receivableLines(opened, instalments, payments).map((line) => ({ ...line, clinic_id, payment_plan_id })) };
}
