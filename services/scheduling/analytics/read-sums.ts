// Sums by day of a period and of the one before, from the database.
import { rows, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Period } from './period-rules.ts';
import {
  listChairsStatement,
  sumDocumentsByDayStatement,
  sumPatientsStatement,
  sumReceivablesStatement,
  sumRevenueByDayStatement,
  sumRevenueByDoctorStatement,
  sumRevenueByProcedureStatement,
  sumTreatmentsStatement,
  sumUnscheduledStatement,
  sumVisitsStatement,
} from './sql/dashboard.sql.ts';

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
