// The figures of a period computed slowly, from each appointment and plan.
import { DateTime } from 'luxon';
import { splitPayment } from '../analytics/plan-lines-rules.ts';
import { appointmentNear } from '../commissions/commission-rules.ts';
import { type AnalyticsClinic, costOf, type PaymentPlan } from './analytics-clinic.ts';

type Appointment = {
  id: string;
  doctor_id: string;
  resource_id: string | null;
  patient_id: string;
  date: string;
  hour: number;
  starts_at: Date;
  minutes: number;
  status: string;
  source: string;
};

/** `day` is the date at whose end receivables are summed. */
type Range = { from: string; to: string; day: string };

const dayIn = (zone: string, at: Date) => DateTime.fromJSDate(at, { zone }).toISODate() ?? '';
const smaller = (one: bigint, other: bigint) => (one < other ? one : other);
const sum = (some: bigint[]) => some.reduce((all, one) => all + one, 0n);

function tally<T>(some: T[], key: (one: T) => string, value: (one: T) => bigint): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const one of some) sums[key(one)] = (sums[key(one)] ?? 0n) + value(one);
  return Object.fromEntries(Object.entries(sums).filter(([, cents]) => cents !== 0n));
}

export async function recount(desk: AnalyticsClinic, clinicId: string, zone: string, { from, to, day }: Range) {
  const all: Appointment[] = (
    await desk.owner.query(
      `select id, doctor_id, resource_id, patient_id, appointment_date::text as date, extract(hour from start_time)::int as hour, starts_at,
        (extract(epoch from upper(busy) - lower(busy)) / 60)::int as minutes, status, source
       from scheduling.appointments where clinic_id = $1`,
      [clinicId],
    )
  ).rows;
  const within = (date: string) => from <= date && date <= to;
  const appointments = all.filter(({ date }) => within(date));
  const seen = all.filter(({ status }) => status === 'completed');
  const patients = [...new Set(seen.filter(({ date }) => within(date)).map(({ patient_id }) => patient_id))];
  const before = patients.filter((id) => seen.some(({ patient_id, date }) => patient_id === id && date < from));
  const plans = [...desk.plans.values()].filter((plan) => plan.clinicId === clinicId);
  const treatments = [...desk.treatments.values()].filter((plan) => plan.clinicId === clinicId);
  const payments = plans.flatMap((plan) =>
    plan.payments
      .filter(({ voided, paidAt }) => !voided && within(dayIn(zone, paidAt)))
      .map((payment) => {
        const steps = desk.treatments.get(plan.treatmentId)?.steps ?? [];
        const done = all.filter(
          ({ id, status }) => !['cancelled', 'no_show'].includes(status) && steps.some((step) => step.status !== 'skipped' && step.appointmentId === id),
        );
        const priced = steps.filter(({ status }) => status !== 'skipped').map(({ procedure, cents }) => ({ procedure, cents }));
        return {
          ...payment,
          day: dayIn(zone, payment.paidAt),
          doctor: appointmentNear(done, payment.paidAt)?.doctor_id,
          shares: splitPayment(payment.cents, priced),
        };
      }),
  );
  const opened = treatments.filter(({ openedAt }) => within(dayIn(zone, openedAt)));
  const accepted = opened.filter(({ quoteAccepted, steps }) => quoteAccepted || steps.some(({ status }) => ['scheduled', 'completed'].includes(status)));
  const unscheduled = treatments
    .filter(({ status, openedAt }) => status === 'active' && dayIn(zone, openedAt) <= to)
    .flatMap(({ steps }) => steps.filter(({ status }) => status === 'pending'));
  const owed = plans.flatMap((plan) => debtOf(plan, zone, day));
  const count = (status: string) => appointments.filter((appointment) => appointment.status === status).length;
  const occupying = appointments.filter(({ status }) => !['cancelled', 'no_show'].includes(status));
  return {
    collected: sum(payments.map(({ cents }) => cents)),
    byDoctor: tally(
      payments,
      ({ doctor }) => doctor ?? 'none',
      ({ cents }) => cents,
    ),
    byProcedure: tally(
      payments.flatMap(({ shares }) => shares),
      ({ procedure }) => procedure || 'none',
      ({ cents }) => cents,
    ),
    byDay: tally(
      payments,
      (payment) => payment.day,
      ({ cents }) => cents,
    ),
    owed: tally(
      owed,
      ({ age }) => age,
      ({ cents }) => cents,
    ),
    booked: appointments.length,
    completed: count('completed'),
    cancelled: count('cancelled'),
    noShow: count('no_show'),
    chat: appointments.filter(({ source }) => source === 'chat').length,
    minutes: tally(
      occupying,
      ({ doctor_id }) => doctor_id,
      ({ minutes }) => BigInt(minutes),
    ),
    chairs: tally(
      occupying.filter(({ resource_id }) => resource_id),
      ({ resource_id }) => resource_id ?? '',
      ({ minutes }) => BigInt(minutes),
    ),
    hours: tally(
      appointments.filter(({ status }) => status !== 'cancelled'),
      ({ date, hour }) => `${new Date(date).getUTCDay()} ${hour}`,
      () => 1n,
    ),
    returning: before.length,
    new: patients.length - before.length,
    presented: [opened.length, sum(opened.map(costOf))],
    accepted: [accepted.length, sum(accepted.map(costOf))],
    unscheduled: [unscheduled.length, sum(unscheduled.map(({ cents }) => cents))],
  };
}

/** What a plan owes at the end of a day, by instalment. */
function debtOf(plan: PaymentPlan, zone: string, day: string): { age: string; cents: bigint }[] {
  if (plan.status === 'cancelled' || dayIn(zone, plan.openedAt) > day) return [];
  const payments = plan.payments.filter(({ voided }) => !voided);
  const total = plan.status === 'paid' ? sum(payments.map(({ cents }) => cents)) : plan.total;
  let paid = sum(payments.filter(({ paidAt }) => dayIn(zone, paidAt) <= day).map(({ cents }) => cents));
  let left = total;
  return [...plan.instalments, { due: '', cents: total }].map(({ due, cents: whole }) => {
    const cents = smaller(whole, left);
    left -= cents;
    const covered = smaller(paid, cents);
    paid -= covered;
    return { age: due ? ageOn(day, due) : 'not_due', cents: cents - covered };
  });
}

function ageOn(day: string, due: string): string {
  const days = (Date.parse(day) - Date.parse(due)) / 86_400_000;
  if (days <= 0) return 'not_due';
  if (days <= 30) return '1_30';
  if (days <= 60) return '31_60';
  return days <= 90 ? '61_90' : 'over_90';
}

/** The same figures as the service returns them. */
export async function returned(desk: AnalyticsClinic, clinicId: string, zone: string, { from, to }: Range) {
  const caller = desk.asUser(clinicId, { clinic: { timezone: zone } });
  // plain-words: visits is public JSON
  const [{ revenue, receivables, visits: appointments, occupancy, patients, treatment }, { hours }] = await Promise.all([
    desk.analytics.getDashboard({ from, to }, caller),
    desk.analytics.getPeakHours({ from, to }, caller),
  ]);
  const ages = { not_due: receivables?.notDue, '1_30': receivables?.days1To30, '31_60': receivables?.days31To60, '61_90': receivables?.days61To90 };
  const all = { ...ages, over_90: receivables?.over90Days };
  return {
    collected: revenue?.collected?.value,
    byDoctor: tally(
      revenue?.byDoctor ?? [],
      ({ doctorId }) => doctorId ?? 'none',
      ({ collected }) => collected?.value ?? 0n,
    ),
    byProcedure: tally(
      revenue?.byProcedure ?? [],
      ({ procedure }) => procedure ?? 'none',
      ({ collected }) => collected?.value ?? 0n,
    ),
    byDay: tally(
      revenue?.byDay ?? [],
      ({ date }) => date,
      ({ collected }) => collected,
    ),
    owed: tally(
      Object.entries(all),
      ([age]) => age,
      ([, figure]) => figure?.value ?? 0n,
    ),
    booked: appointments?.booked?.value,
    completed: appointments?.completed?.value,
    cancelled: appointments?.cancelled?.value,
    noShow: appointments?.noShow?.value,
    chat: appointments?.chatBookings?.value,
    minutes: tally(
      occupancy?.byDoctor ?? [],
      ({ doctorId }) => doctorId,
      ({ bookedMinutes }) => bookedMinutes,
    ),
    chairs: tally(
      occupancy?.byResource ?? [],
      ({ resourceId }) => resourceId,
      ({ bookedMinutes }) => bookedMinutes,
    ),
    hours: tally(
      hours,
      ({ weekday, hour }) => `${weekday} ${hour}`,
      (
        { visits: figure }, // plain-words: visits is public JSON
      ) => BigInt(figure?.value ?? 0),
    ),
    returning: patients?.returningPatients?.value,
    new: patients?.newPatients?.value,
    presented: [treatment?.presented?.value, treatment?.presentedAmount?.value],
    accepted: [treatment?.accepted?.value, treatment?.acceptedAmount?.value],
    unscheduled: [treatment?.unscheduledSteps?.value, treatment?.unscheduledAmount?.value],
  };
}
