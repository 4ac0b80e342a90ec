// The dashboard of the past week or month by mail, as PDF. One job records which reports are due, each once; a job per report draws it from
// the current figures. Messaging sends it, and ignores a repeated mail by its reference.
import { create } from '@bufbuild/protobuf';
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { addDays, DEFAULT_ZONE } from '@clinic/lib/formats/local-date.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { PrintDashboardRequestSchema } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { period as periodText } from '../analytics/charts/format.ts';
import { printDashboard } from '../analytics/render-dashboard.ts';
import type { App } from '../app.ts';
import { findRecipient } from '../clinics/mail-recipient.ts';
import { deleteReports, insertDueReports, listSubscriptions, type ReportPeriod } from './reports.sql.ts';

const BATCH = 200;
const RETENTION_DAYS = 100;
const MAIL_REPORT = 'mail-report';
const TIMEOUT_MS = 30_000;

type Report = { clinicId: string; userId: string; period: ReportPeriod; from: string; to: string };

export const markReportsJob = (app: Pick<App, 'db' | 'clock'>) => job('mark-reports', { cron: '*/5 * * * *' }, () => markReports(app));

export async function markReports({ db, clock }: Pick<App, 'db' | 'clock'>): Promise<void> {
  const now = clock.now();
  while ((await markBatch(db, now)) === BATCH);
  // As the system: reports of all clinics.
  await asSystem(db, (tx) => deleteReports(tx, addDays(now.toISOString().slice(0, 10), -RETENTION_DAYS)));
}

function markBatch(db: App['db'], now: Date): Promise<number> {
  // As the system: subscriptions of all clinics.
  return asSystem(db, async (tx) => {
    const due = await insertDueReports(tx, DEFAULT_ZONE, now, BATCH);
    for (const { clinic_id, user_id, period, first_date, last_date } of due) {
      await enqueue(tx, MAIL_REPORT, { clinicId: clinic_id, userId: user_id, period, from: first_date, to: last_date } satisfies Report);
    }
    return due.length;
  });
}

export const mailReportJob = (app: App) => job<Report>(MAIL_REPORT, { concurrency: 1 }, (report) => mailReport(app, report));

async function mailReport(app: App, { clinicId, userId, period, from, to }: Report): Promise<void> {
  const reference = `${userId}:${period}:${from}`;
  if (!(await inTenant(app.db, clinicId, (tx) => listSubscriptions(tx, userId))).includes(period)) return;
  const recipient = await findRecipient(app, { clinicId, userId, feature: 'analytics' }, reference);
  if (!recipient) return;
  const { user, caller, guards } = recipient;
  if (user.appRole === 'receptionist' && guards.includes('revenue_hidden_from_receptionists')) return;
  const call = { caller, idempotencyKey: undefined, deadline: Date.now() + TIMEOUT_MS };
  const [{ name: clinic }, { filename, contentType, content }] = await Promise.all([
    app.profile.getClinicProfile({}, callAs(caller)),
    printDashboard(app, create(PrintDashboardRequestSchema, { from, to }), call),
  ]);
  const parameters = { name: user.fullName, clinic, period: periodText(from, to) };
  await app.mail.sendMail({ kind: 'report', to: user.email, parameters, reference, attachments: [{ filename, contentType, content }] }, callAs(caller));
}
