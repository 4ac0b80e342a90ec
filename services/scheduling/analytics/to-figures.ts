// Sums of two periods as the contract shows them: each figure beside the one before, with the path of its records.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  PatientFiguresSchema,
  ReceivablesSchema,
  RevenueSchema,
  TreatmentFiguresSchema,
  VisitFiguresSchema,
} from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { Sums } from './read-sums.ts';
import { countFigure, link, moneyFigure, rateFigure } from './figure-rules.ts';
import { datesBetween, type Period } from './period-rules.ts';
import type { Age } from './sql/dashboard.sql.ts';

const add = (some: { cents: bigint }[]) => some.reduce((sum, { cents }) => sum + cents, 0n);
const count = <K extends string>(some: Record<K, number>[], key: K) => some.reduce((sum, one) => sum + one[key], 0);

/** Path of the records of a figure that the projection itself lists. */
export const recordsOf = (figure: string, { from, to }: Period, more: Record<string, string | undefined> = {}) =>
  link('/api/analytics/records', { figure, from, to, ...more });

/** Path of the visits of a period. */
export const visitsIn = ({ from, to }: Period, more: Record<string, string | undefined> = {}) => link('/api/appointments', { start: from, end: to, ...more });

export function revenueOf(sums: Sums, names: Map<string, string>, period: Period): MessageInitShape<typeof RevenueSchema> {
  const { from, to } = period;
  const sides = <R extends { date: string }>(days: R[]) => [days.filter(({ date }) => date >= from), days.filter(({ date }) => date < from)] as const;
  const [collected, collectedBefore] = sides(sums.revenueDays);
  const [invoiced, invoicedBefore] = sides(sums.documentDays);
  const onDay = (days: { date: string; cents: bigint }[]) => new Map(days.map(({ date, cents }) => [date, cents]));
  const [collectedOn, invoicedOn] = [onDay(collected), onDay(invoiced)];
  return {
    collected: moneyFigure(add(collected), add(collectedBefore), recordsOf('collected', period)),
    invoiced: moneyFigure(add(invoiced), add(invoicedBefore), link('/api/dte/documents', { from, to })),
    pending: receivablesOf(sums, period).total,
    byDoctor: beside(sums.doctors, ({ doctor_id }) => doctor_id).map(([doctorId, now, before]) => ({
      doctorId: doctorId ?? undefined,
      fullName: sums.chairs.find(({ id }) => id === doctorId)?.full_name,
      collected: moneyFigure(now, before, recordsOf('collected', period, { doctor_id: doctorId ?? 'none' })),
    })),
    byProcedure: beside(sums.procedures, ({ procedure }) => procedure).map(([procedure, now, before]) => ({
      procedure: procedure || undefined,
      name: names.get(procedure),
      collected: moneyFigure(now, before, recordsOf('collected', period, { procedure: procedure || 'none' })),
    })),
    byDay: datesBetween(from, to).map((date) => ({
      date,
      collected: collectedOn.get(date) ?? 0n,
      invoiced: invoicedOn.get(date) ?? 0n,
      link: link('/api/analytics/records', { figure: 'collected', from: date, to: date }),
    })),
  };
}

/** Both sides of each key, the highest of the period first. */
function beside<R extends { current: boolean; cents: bigint }, K>(some: R[], keyOf: (row: R) => K): [K, bigint, bigint][] {
  return [...Map.groupBy(some, keyOf)]
    .map(([key, sides]): [K, bigint, bigint] => [key, add(sides.filter(({ current }) => current)), add(sides.filter(({ current }) => !current))])
    .toSorted(([one, a, aBefore], [other, b, bBefore]) => Number(b - a) || Number(bBefore - aBefore) || (String(one) < String(other) ? -1 : 1));
}

export function visitsOf({ visits }: Pick<Sums, 'visits'>, period: Period): MessageInitShape<typeof VisitFiguresSchema> {
  const [now, before] = [visits.filter(({ current }) => current), visits.filter(({ current }) => !current)];
  const figure = (key: 'booked' | 'completed' | 'no_show' | 'cancelled' | 'chat', more: Record<string, string> = {}) =>
    countFigure(count(now, key), count(before, key), visitsIn(period, more));
  const share = (side: typeof now, key: 'no_show' | 'cancelled' | 'chat', of: ('booked' | 'completed' | 'no_show')[]) => ({
    part: count(side, key),
    whole: of.reduce((sum, one) => sum + count(side, one), 0),
  });
  const rate = (key: 'no_show' | 'cancelled' | 'chat', of: ('booked' | 'completed' | 'no_show')[], more: Record<string, string>) =>
    rateFigure(share(now, key, of), share(before, key, of), visitsIn(period, more));
  return {
    booked: figure('booked'),
    completed: figure('completed', { status: 'completed' }),
    noShow: figure('no_show', { status: 'no_show' }),
    cancelled: figure('cancelled', { status: 'cancelled' }),
    noShowRate: rate('no_show', ['no_show', 'completed'], { status: 'no_show' }),
    cancellationRate: rate('cancelled', ['booked'], { status: 'cancelled' }),
    chatBookings: figure('chat', { source: 'chat' }),
    chatRate: rate('chat', ['booked'], { source: 'chat' }),
  };
}

export function patientsOf({ patients: [sums] }: Pick<Sums, 'patients'>, period: Period): MessageInitShape<typeof PatientFiguresSchema> {
  return {
    newPatients: countFigure(sums?.new_now ?? 0, sums?.new_before ?? 0, recordsOf('new_patients', period)),
    returningPatients: countFigure(sums?.returning_now ?? 0, sums?.returning_before ?? 0, recordsOf('returning_patients', period)),
  };
}

export function treatmentOf({ treatments: [plans], unscheduled: [open] }: Sums, period: Period): MessageInitShape<typeof TreatmentFiguresSchema> {
  const [presented, accepted, unscheduled] = ['presented', 'accepted', 'unscheduled'].map((figure) => recordsOf(figure, period)) as [string, string, string];
  if (!plans || !open) return {};
  return {
    presented: countFigure(plans.presented_now, plans.presented_before, presented),
    accepted: countFigure(plans.accepted_now, plans.accepted_before, accepted),
    acceptanceRate: rateFigure(
      { part: plans.accepted_now, whole: plans.presented_now },
      { part: plans.accepted_before, whole: plans.presented_before },
      accepted,
    ),
    presentedAmount: moneyFigure(plans.presented_cents_now, plans.presented_cents_before, presented),
    acceptedAmount: moneyFigure(plans.accepted_cents_now, plans.accepted_cents_before, accepted),
    unscheduledSteps: countFigure(open.steps_now, open.steps_before, unscheduled),
    unscheduledAmount: moneyFigure(open.cents_now, open.cents_before, unscheduled),
  };
}

export function receivablesOf({ receivables }: Pick<Sums, 'receivables'>, period: Period): MessageInitShape<typeof ReceivablesSchema> {
  const sum = (side: boolean, age?: Age) => add(receivables.filter((one) => one.current === side && (age === undefined || one.age === age)));
  const figure = (age?: Age) => moneyFigure(sum(true, age), sum(false, age), recordsOf('receivables', period, { age }));
  return {
    total: figure(),
    notDue: figure('not_due'),
    days1To30: figure('1_30'),
    days31To60: figure('31_60'),
    days61To90: figure('61_90'),
    over90Days: figure('over_90'),
  };
}
