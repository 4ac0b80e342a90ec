// The dashboard of a period, put together from sums by day.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { checkDate, refuse } from '@clinic/lib/check.ts';
import { inTenant, rows, type TenantTx } from '@clinic/lib/db.ts';
import { as } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DashboardSchema } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { App } from '../app.ts';
import { today } from '../clinics/local-day-rules.ts';
import { type Period, periodOf } from './rules/analytics-period.ts';
import { patientsOf, receivablesOf, revenueOf, treatmentOf, visitsOf } from './show-figures.ts';
import { occupancyOf } from './show-occupancy.ts';
import {
  type Age,
  listChairsStatement,
  sumDocumentsByDayStatement,
  sumHoursStatement,
  sumPatientsStatement,
  sumReceivablesStatement,
  sumRevenueByDayStatement,
  sumRevenueByDoctorStatement,
  sumRevenueByProcedureStatement,
  sumTreatmentsStatement,
  sumUnscheduledStatement,
  sumVisitsStatement,
} from './sql/analytics-dashboard.sql.ts';

export type { Age };
export type DashboardInit = MessageInitShape<typeof DashboardSchema>;

/** The period that a request asks for. Throws VALIDATION_ERROR, which names the field. */
export function readPeriod({ from, to }: { from?: string | undefined; to?: string | undefined }, now: string): Period {
  if (from !== undefined) checkDate('from', from);
  if (to !== undefined) checkDate('to', to);
  const period = periodOf({ from, to }, now);
  if ('path' in period) refuse(period);
  return period as Period;
}

/** All sums that the figures are made of. */
export async function readSums(tx: TenantTx, period: Period, now: string) {
  const { from, to, previousFrom, previousTo } = period;
  const of = [tx.clinicId, from, to, previousFrom];
  const earlier = (date: string) => (date < now ? date : now);
  const [visits, patients, revenueDays, documentDays, doctors, procedures, treatments, unscheduled, receivables, chairs] = await Promise.all([
    rows(tx, sumVisitsStatement, of),
    rows(tx, sumPatientsStatement, of),
    rows(tx, sumRevenueByDayStatement, of),
    rows(tx, sumDocumentsByDayStatement, of),
    rows(tx, sumRevenueByDoctorStatement, of),
    rows(tx, sumRevenueByProcedureStatement, of),
    rows(tx, sumTreatmentsStatement, of),
    rows(tx, sumUnscheduledStatement, of),
    rows(tx, sumReceivablesStatement, [tx.clinicId, earlier(to), earlier(previousTo)]),
    rows(tx, listChairsStatement, [tx.clinicId, previousFrom]),
  ]);
  return { visits, patients, revenueDays, documentDays, doctors, procedures, treatments, unscheduled, receivables, chairs };
}

export type Sums = Awaited<ReturnType<typeof readSums>>;

export async function readDashboard(app: App, request: { from?: string | undefined; to?: string | undefined }, call: Call): Promise<DashboardInit> {
  const { id, timezone } = clinicOf(call);
  const now = today(timezone, app.clock.now());
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
    const { prices } = await app.prices.listPrices({}, as(call.caller));
    return new Map(prices.map(({ code, name }) => [code, name]));
  } catch (error) {
    app.log.warn({ err: error }, 'the dashboard shows procedures without their names');
    return new Map();
  }
}
