// The figures of the operators' dashboard, from the projections.
import { DEFAULT_ZONE, monthIn } from '@clinic/lib/formats/local-date.ts';
import type { GetStatsRequest } from '@clinic/proto/platform/v1/stats_pb.js';
import { DateTime } from 'luxon';
import type { App } from '../app.ts';
import { countPending } from '../demo-requests/demo-requests.sql.ts';
import { countToday, listZones } from './appointments-seen.sql.ts';
import { countClinics } from './clinics-seen.sql.ts';
import { countOrders } from './orders-seen.sql.ts';

const RECENT_MS = 7 * 24 * 3_600_000;

export async function getStats({ db, clock }: App, _request: GetStatsRequest) {
  const now = clock.now();
  const [clinics, apptToday, pendingDemos, orders] = await Promise.all([
    countClinics(db, now, new Date(now.getTime() - RECENT_MS)),
    countAppointmentsToday(db, now),
    countPending(db),
    countOrders(db, monthIn(DEFAULT_ZONE, now)),
  ]);
  const { total, active, recent, ...planDistribution } = clinics;
  return {
    totalClinics: total,
    activeClinics: active,
    pendingDemos,
    apptToday,
    revenueThisMonth: orders.revenue,
    totalOrders: orders.total,
    planDistribution,
    recentSignups: recent,
  };
}

/** Appointments on the current date of their zone. The dates are computed here, because a statement fails if PostgreSQL does not know one of the zones. */
async function countAppointmentsToday(db: App['db'], now: Date): Promise<number> {
  const utcDate = now.toISOString().slice(0, 10);
  const dates = (await listZones(db, utcDate)).flatMap((timezone) => {
    const today = DateTime.fromJSDate(now, { zone: timezone }).toISODate();
    return today === null ? [] : [{ timezone, today }];
  });
  return countToday(db, utcDate, dates);
}
