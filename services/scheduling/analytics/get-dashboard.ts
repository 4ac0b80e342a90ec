// The figures of a period beside those of the period before, from sums by day.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { inTenant } from '@clinic/lib/db/db.ts';
import { dateIn, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DashboardSchema } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../app.ts';
import { toOccupancy } from './occupancy.ts';
import { choosePeriod, type Period } from './period-rules.ts';
import { findSums } from './sql/dashboard.sql.ts';
import { toAppointmentFigures, toPatientFigures, toReceivables, toRevenue, toTreatmentFigures } from './to-figures.ts';

type PeriodInput = { from?: string | undefined; to?: string | undefined };

/** The period of a request in the clinic's zone. Throws VALIDATION_ERROR with the field. */
export function parsePeriod(app: Pick<App, 'clock'>, { from, to }: PeriodInput, call: Call): Period {
  if (from !== undefined) parseLocalDate('from', from);
  if (to !== undefined) parseLocalDate('to', to);
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
