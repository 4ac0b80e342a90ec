// The operators' dashboard, from what events have told.
import { readSystem } from '@clinic/lib/db/db.ts';
import type { GetStatsRequest } from '@clinic/proto/platform/v1/stats_pb.js';
import { DateTime } from 'luxon';
import type { App } from '../app.ts';
import { countPendingStatement } from '../demo-requests/demo-requests.sql.ts';
import { countTodayStatement, listZonesStatement } from './appointments-seen.sql.ts';
import { type ClinicCounts, countClinicsStatement } from './clinics-seen.sql.ts';
import { monthOf } from './month-rules.ts';
import { countOrdersStatement } from './orders-seen.sql.ts';

const RECENT_MS = 7 * 24 * 3_600_000;

export async function getStats(app: App, _request: GetStatsRequest) {
  const now = app.clock.now();
  const { from, to } = monthOf(now);
  const [[counted], apptToday, [demos], [orders]] = await Promise.all([
    readSystem(app.db, countClinicsStatement, [now, new Date(now.getTime() - RECENT_MS)]),
    countToday(app, now),
    readSystem(app.db, countPendingStatement, []),
    readSystem(app.db, countOrdersStatement, [from, to]),
  ]);
  const { total, active, recent, ...planDistribution } = counted as ClinicCounts; // an aggregate always has its row
  return {
    totalClinics: total,
    activeClinics: active,
    pendingDemos: demos?.count ?? 0,
    apptToday,
    revenueThisMonth: orders?.revenue ?? 0n,
    totalOrders: orders?.total ?? 0,
    planDistribution,
    recentSignups: recent,
  };
}

/** Each zone has a today of its own. It is worked out here, where a name that the database does not know spoils nothing. */
async function countToday(app: App, now: Date): Promise<number> {
  const utc = now.toISOString().slice(0, 10);
  const zones = await readSystem(app.db, listZonesStatement, [utc]);
  const todays = zones.flatMap(({ timezone }) => {
    const today = DateTime.fromJSDate(now, { zone: timezone }).toISODate();
    return today === null ? [] : [{ timezone, today }];
  });
  const [counted] = await readSystem(app.db, countTodayStatement, [utc, todays.map(({ timezone }) => timezone), todays.map(({ today }) => today)]);
  return counted?.count ?? 0;
}
