// Sums of two periods mapped to the contract: each figure beside the previous one, with the path of its records.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  VisitFiguresSchema as AppointmentFiguresSchema, // plain-words: visit is in the contract
  PatientFiguresSchema,
  ReceivablesSchema,
  RevenueSchema,
  TreatmentFiguresSchema,
} from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { countFigure, link, moneyFigure, rateFigure } from './figure-rules.ts';
import { datesBetween, type Period } from './period-rules.ts';
import type { Age, Counted, Sums } from './sql/dashboard.sql.ts';

const sumCents = (some: { cents: bigint }[]) => some.reduce((sum, { cents }) => sum + cents, 0n);
const count = <K extends string>(some: Record<K, number>[], key: K) => some.reduce((sum, one) => sum + one[key], 0);

/** Path of the records that a figure counts. */
const recordsPath = (figure: string, { from, to }: Pick<Period, 'from' | 'to'>, more: Record<string, string | undefined> = {}) =>
  link('/api/analytics/records', { figure, from, to, ...more });

/** Path of the appointments of a period. */
export const appointmentsPath = ({ from, to }: Period, more: Record<string, string | undefined> = {}) =>
  link('/api/appointments', { start: from, end: to, ...more });

export function toRevenue(sums: Sums, names: Map<string, string>, period: Period): MessageInitShape<typeof RevenueSchema> {
  const { from, to } = period;
  const splitPeriods = <R extends { date: string }>(days: R[]) => [days.filter(({ date }) => date >= from), days.filter(({ date }) => date < from)] as const;
  const [collected, collectedBefore] = splitPeriods(sums.revenueByDay);
  const [invoiced, invoicedBefore] = splitPeriods(sums.documentsByDay);
  const byDate = (days: { date: string; cents: bigint }[]) => new Map(days.map(({ date, cents }) => [date, cents]));
  const [collectedOn, invoicedOn] = [byDate(collected), byDate(invoiced)];
  return {
    collected: moneyFigure(sumCents(collected), sumCents(collectedBefore), recordsPath('collected', period)),
    invoiced: moneyFigure(sumCents(invoiced), sumCents(invoicedBefore), link('/api/dte/documents', { from, to, issued: 'true' })),
    pending: toReceivables(sums, period).total,
    byDoctor: bothPeriods(sums.revenueByDoctor, ({ doctor_id }) => doctor_id).map(([doctorId, now, before]) => ({
      doctorId: doctorId ?? undefined,
      fullName: sums.doctors.find(({ id }) => id === doctorId)?.full_name,
      collected: moneyFigure(now, before, recordsPath('collected', period, { doctor_id: doctorId ?? 'none' })),
    })),
    byProcedure: bothPeriods(sums.revenueByProcedure, ({ procedure }) => procedure).map(([procedure, now, before]) => ({
      procedure: procedure || undefined,
      name: names.get(procedure),
      collected: moneyFigure(now, before, recordsPath('collected', period, { procedure: procedure || 'none' })),
    })),
    byDay: datesBetween(from, to).map((date) => ({
      date,
      collected: collectedOn.get(date) ?? 0n,
      invoiced: invoicedOn.get(date) ?? 0n,
      link: recordsPath('collected', { from: date, to: date }),
    })),
  };
}

/** The sums of each key in both periods, highest first. */
function bothPeriods<R extends { current: boolean; cents: bigint }, K>(some: R[], keyOf: (row: R) => K): [K, bigint, bigint][] {
  return [...Map.groupBy(some, keyOf)]
    .map(([key, group]): [K, bigint, bigint] => [key, sumCents(group.filter(({ current }) => current)), sumCents(group.filter(({ current }) => !current))])
    .toSorted(([one, a, aBefore], [other, b, bBefore]) => Number(b - a) || Number(bBefore - aBefore) || (String(one) < String(other) ? -1 : 1));
}

export function toAppointmentFigures({ appointments }: Pick<Sums, 'appointments'>, period: Period): MessageInitShape<typeof AppointmentFiguresSchema> {
  const [now, before] = [appointments.filter(({ current }) => current), appointments.filter(({ current }) => !current)];
  const figure = (key: Counted, more: Record<string, string> = {}) => countFigure(count(now, key), count(before, key), appointmentsPath(period, more));
  const rate = (key: Counted, of: Counted[], more: Record<string, string>) => {
    const share = (side: typeof now) => ({ part: count(side, key), whole: of.reduce((sum, one) => sum + count(side, one), 0) });
    return rateFigure(share(now), share(before), appointmentsPath(period, more));
  };
  return {
    booked: figure('booked'),
    completed: figure('completed', { status: 'completed' }),
    noShow: figure('no_show', { status: 'no_show' }),
    cancelled: figure('cancelled', { status: 'cancelled' }),
    lateCancelled: figure('late_cancelled', { late_cancellation: 'true' }),
    noShowRate: rate('no_show', ['no_show', 'completed'], { status: 'no_show' }),
    cancellationRate: rate('cancelled', ['booked'], { status: 'cancelled' }),
    chatBookings: figure('chat', { source: 'chat' }),
    chatRate: rate('chat', ['booked'], { source: 'chat' }),
  };
}

export function toPatientFigures({ patients: [sums] }: Pick<Sums, 'patients'>, period: Period): MessageInitShape<typeof PatientFiguresSchema> {
  return {
    newPatients: countFigure(sums?.new_now ?? 0, sums?.new_before ?? 0, recordsPath('new_patients', period)),
    returningPatients: countFigure(sums?.returning_now ?? 0, sums?.returning_before ?? 0, recordsPath('returning_patients', period)),
  };
}

export function toTreatmentFigures({ treatments: [plans], unscheduled: [open] }: Sums, period: Period): MessageInitShape<typeof TreatmentFiguresSchema> {
  const [presented, accepted, unscheduled] = ['presented', 'accepted', 'unscheduled'].map((figure) => recordsPath(figure, period)) as [string, string, string];
  if (!plans || !open) return {};
  const share = (part: number, whole: number) => ({ part, whole });
  return {
    presented: countFigure(plans.presented_now, plans.presented_before, presented),
    accepted: countFigure(plans.accepted_now, plans.accepted_before, accepted),
    acceptanceRate: rateFigure(share(plans.accepted_now, plans.presented_now), share(plans.accepted_before, plans.presented_before), accepted),
    presentedAmount: moneyFigure(plans.presented_cents_now, plans.presented_cents_before, presented),
    acceptedAmount: moneyFigure(plans.accepted_cents_now, plans.accepted_cents_before, accepted),
    unscheduledSteps: countFigure(open.steps_now, open.steps_before, unscheduled),
    unscheduledAmount: moneyFigure(open.cents_now, open.cents_before, unscheduled),
  };
}

export function toReceivables({ receivables }: Pick<Sums, 'receivables'>, period: Period): MessageInitShape<typeof ReceivablesSchema> {
  const sum = (side: boolean, age?: Age) => sumCents(receivables.filter((one) => one.current === side && (age === undefined || one.age === age)));
  const figure = (age?: Age) => moneyFigure(sum(true, age), sum(false, age), recordsPath('receivables', period, { age }));
  return {
    total: figure(),
    notDue: figure('not_due'),
    days1To30: figure('1_30'),
    days31To60: figure('31_60'),
    days61To90: figure('61_90'),
    over90Days: figure('over_90'),
  };
}
