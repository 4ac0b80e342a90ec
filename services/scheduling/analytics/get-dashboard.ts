// The dashboard of a period, put together from sums by day.

import type { MessageInitShape } from '@bufbuild/protobuf';
import { inTenant, rows } from '@clinic/lib/db/db.ts';
import { throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { dateIn, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DashboardSchema } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../app.ts';
import { readSums } from './read-sums.ts';
import { type Period, periodOf } from './period-rules.ts';
import { patientsOf, receivablesOf, revenueOf, treatmentOf, visitsOf } from './to-figures.ts';
import { occupancyOf } from './occupancy.ts';
import { sumHoursStatement } from './sql/dashboard.sql.ts';

export type DashboardInit = MessageInitShape<typeof DashboardSchema>;

/** The period that a request asks for. Throws VALIDATION_ERROR, which names the field. */
export function readPeriod({ from, to }: { from?: string | undefined; to?: string | undefined }, now: string): Period {
  if (from !== undefined) parseLocalDate('from', from);
  if (to !== undefined) parseLocalDate('to', to);
  const period = periodOf({ from, to }, now);
  if ('path' in period) throwIfInvalid(period);
  return period as Period;
}

export async function readDashboard(app: App, request: { from?: string | undefined; to?: string | undefined }, call: Call): Promise<DashboardInit> {
  const { id, timezone } = clinicOf(call);
  const now = dateIn(timezone, app.clock.now());
  const period = readPeriod(request, now);
  const [sums, names] = await Promise.all([inTenant(app.db, id, (tx) => readSums(tx, period, now)), procedureNames(app, call)]);
  return {
    ...period,
    timezone,
    revenue: revenueOf(sums, names, period),
    occupancy: occupancyOf(sums, period, timezone),
    visits: visitsOf(sums, period),
    patients: patientsOf(sums, period),
    treatment: treatmentOf(sums, period),
    receivables: receivablesOf(sums, period),
  };
}

/** Sums of visits by hour, as they are drawn. */
export function readHours(app: App, clinicId: string, { from, to, previousFrom }: Period) {
  return inTenant(app.db, clinicId, (tx) => rows(tx, sumHoursStatement, [clinicId, from, to, previousFrom]));
}

/** The figures are there even when dental, which knows the names, is not. */
async function procedureNames(app: App, call: Call): Promise<Map<string, string>> {
  try {
    const { prices } = await app.prices.listPrices({}, callAs(call.caller));
    return new Map(prices.map(({ code, name }) => [code, name]));
  } catch (error) {
    app.log.warn({ err: error }, 'the dashboard shows procedures without their names');
    return new Map();
  }
}
