// The figures of a period beside those of the period before, from sums by day.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { inTenant } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DashboardSchema, GetPeakHoursRequest } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../app.ts';
import { countFigure } from './figure-rules.ts';
import { toOccupancy } from './occupancy.ts';
import { choosePeriod, type Period } from './period-rules.ts';
import { findHourSums, findSums, type HourSums } from './sql/dashboard.sql.ts';
import { appointmentsPath, toAppointmentFigures, toPatientFigures, toReceivables, toRevenue, toTreatmentFigures } from './to-figures.ts';

type PeriodInput = { from?: string | undefined; to?: string | undefined };

/** The period of a request in the clinic's zone. Throws VALIDATION_ERROR with the field. */
export function parsePeriod(app: Pick<App, 'clock'>, { from, to }: PeriodInput, call: Call): Period {
  return choosePeriod({ from, to }, dateIn(clinicOf(call).timezone, app.clock.now()));
}

export async function getDashboard(app: App, request: PeriodInput, call: Call): Promise<MessageInitShape<typeof DashboardSchema>> {
  const { id, timezone } = clinicOf(call);
  const period = parsePeriod(app, request, call);
  const today = dateIn(timezone, app.clock.now());
  const [sums, names] = await Promise.all([inTenant(app.db, id, (tx) => findSums(tx, period, today)), procedureNames(app, call)]);
  return {
    ...period,
    timezone,
    revenue: toRevenue(sums, names, period),
    occupancy: toOccupancy(sums, period, timezone),
    visits: toAppointmentFigures(sums, period), // plain-words: visits is public JSON
    patients: toPatientFigures(sums, period),
    treatment: toTreatmentFigures(sums, period),
    receivables: toReceivables(sums, period),
  };
}

/** Empty when dental is unavailable: the figures are shown without the names of procedures. */
async function procedureNames(app: App, call: Call): Promise<Map<string, string>> {
  try {
    const { prices } = await app.prices.listPrices({}, callAs(call.caller));
    return new Map(prices.map(({ code, name }) => [code, name]));
  } catch (error) {
    app.log.warn({ err: error }, 'dental did not return the price list: the dashboard shows procedures without names');
    return new Map();
  }
}

/** How many appointments start in each hour of each weekday. */
export async function getPeakHours(app: App, request: GetPeakHoursRequest, call: Call) {
  const period = parsePeriod(app, request, call);
  const sums = await inTenant(app.db, clinicOf(call).id, (tx) => findHourSums(tx, period));
  const figure = (some: HourSums[], hour: Record<string, string> = {}) =>
    countFigure(total(some, true), total(some, false), appointmentsPath(period, { cancelled: 'false', ...hour }));
  const hours = [...Map.groupBy(sums, ({ weekday, hour }) => weekday * 24 + hour).values()].map((group) => {
    const [{ weekday, hour }] = group as [HourSums];
    return { weekday, hour, visits: figure(group, { weekday: String(weekday), hour: String(hour) }) }; // plain-words: visits is public JSON
  });
  // plain-words: visits is public JSON
  const [busiest] = hours.filter(({ visits }) => visits.value > 0).toSorted((a, b) => b.visits.value - a.visits.value);
  return { ...period, hours, busiest, visits: figure(sums) }; // plain-words: visits is public JSON
}

const total = (some: HourSums[], side: boolean) => some.filter(({ current }) => current === side).reduce((sum, { appointments }) => sum + appointments, 0);
