// How many appointments start in each hour of each weekday.
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPeakHoursRequest } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../app.ts';
import { countFigure } from './figure-rules.ts';
import { parsePeriod } from './get-dashboard.ts';
import { findHourSums, type HourSums } from './sql/dashboard.sql.ts';
import { appointmentsPath } from './to-figures.ts';

export async function getPeakHours(app: App, request: GetPeakHoursRequest, call: Call) {
  const period = parsePeriod(app, request, call);
  const sums = await inTenant(app.db, clinicOf(call).id, (tx) => findHourSums(tx, period));
  const path = appointmentsPath(period);
  const figure = (some: HourSums[]) => countFigure(total(some, true), total(some, false), path);
  const hours = [...Map.groupBy(sums, ({ weekday, hour }) => weekday * 24 + hour).values()].map((group) => {
    const [{ weekday, hour }] = group as [HourSums];
    return { weekday, hour, visits: figure(group) }; // plain-words: visits is public JSON
  });
  // plain-words: visits is public JSON
  const [busiest] = hours.filter(({ visits }) => visits.value > 0).toSorted((a, b) => b.visits.value - a.visits.value);
  return { ...period, hours, busiest, visits: figure(sums) }; // plain-words: visits is public JSON
}

const total = (some: HourSums[], side: boolean) => some.filter(({ current }) => current === side).reduce((sum, { appointments }) => sum + appointments, 0);
