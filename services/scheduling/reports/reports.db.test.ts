// The dashboard of each week or month by mail.
import { randomUUID } from 'node:crypto';
import { asService } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { ReportService } from '@clinic/proto/scheduling/v1/report_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { MONDAY, type Scheduling, startScheduling } from '../testing/clinic.ts';
import { type MailUser, mailStandIns } from '../testing/mail-stand-ins.ts';
import { markReports } from './mail-reports.ts';

const { mails, users, clinics, ...standIns } = mailStandIns();
let s: Scheduling;
let owner: pg.Client;
beforeAll(async () => {
  s = await startScheduling(standIns);
  owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
});
beforeEach(() => s.clock.set(MONDAY));
afterAll(async () => {
  await owner.end();
  await s.service.stop();
});

const reports = () => s.service.client(ReportService);
const mark = (at: string) => {
  s.clock.set(new Date(at));
  return markReports({ db: s.service.db, clock: s.clock });
};

/** A user who subscribed on Monday at 08:00 in El Salvador. */
async function subscribed(timezone: string, wanted: { weekly?: boolean; monthly?: boolean }, known: Partial<MailUser> = {}) {
  const { id } = await s.clinic();
  const userId = randomUUID();
  await owner.query('insert into scheduling.clinics (clinic_id, timezone, revision) values ($1, $2, 1)', [id, timezone]);
  clinics.set(id, { timezone });
  users.push({ id: userId, clinicId: id, email: `${userId}@example.com`, fullName: 'Ana Morales', isActive: true, appRole: 'admin', ...known });
  const as = s.asUser(id, { userId });
  await reports().updateReportSubscription(wanted, as);
  return { id, userId, as };
}
const mailsTo = (userId: string) => mails.filter(({ to }) => to === `${userId}@example.com`);
const marked = async (userId: string) => {
  const { rows } = await owner.query('select period, first_date::text from scheduling.report_mails where user_id = $1 order by first_date, period', [userId]);
  return rows.map(({ period, first_date }) => `${period} ${first_date}`);
};
const finished = async (userId: string, count: number) => {
  const statement = `select count(*)::int as n from scheduling_jobs.job where name = 'mail-report' and state = 'completed' and data->>'userId' = $1`;
  await waitFor(async () => (await owner.query(statement, [userId])).rows[0].n === count);
};

test('each field of a subscription changes alone, and another clinic or user has its own', async () => {
  const { id, as } = await subscribed('America/El_Salvador', { weekly: true });
  expect(await reports().updateReportSubscription({ monthly: true }, as)).toMatchObject({ weekly: true, monthly: true });
  expect(await reports().updateReportSubscription({ weekly: false }, as)).toMatchObject({ weekly: false, monthly: true });
  expect(await reports().getReportSubscription({}, as)).toMatchObject({ weekly: false, monthly: true });
  expect(await reports().getReportSubscription({}, s.asUser(id, { userId: randomUUID() }))).toMatchObject({ weekly: false, monthly: false });
  await expect(reports().updateReportSubscription({ weekly: true }, asService('messaging', randomUUID()))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
});

test('the past week is mailed once as PDF from Monday 07:00, also when several processes run the job, or run it late', async () => {
  const { userId } = await subscribed('America/El_Salvador', { weekly: true });
  await mark('2026-06-08T12:59:59Z');
  expect(await marked(userId)).toEqual([]);
  await Promise.all([mark('2026-06-10T20:00:00Z'), mark('2026-06-10T20:00:00Z'), mark('2026-06-10T20:00:00Z')]);
  await mark('2026-06-14T20:00:00Z');
  await finished(userId, 1);
  expect(await marked(userId)).toEqual(['week 2026-06-01']);
  expect(mailsTo(userId)).toMatchObject([
    {
      kind: 'report',
      reference: `${userId}:week:2026-06-01`,
      parameters: { name: 'Ana Morales', clinic: 'Clínica Dental Sonrisa', period: '1 al 7 de junio de 2026' },
      attachments: [{ filename: 'tablero-2026-06-01-2026-06-07.pdf', contentType: 'application/pdf' }],
    },
  ]);
  expect(Buffer.from(mailsTo(userId)[0]?.attachments[0]?.content.subarray(0, 5) ?? []).toString()).toBe('%PDF-');
});

test('weeks and months begin in the time zone of the clinic, also when the clocks change', async () => {
  s.clock.set(new Date('2026-02-20T00:00:00Z'));
  const { userId } = await subscribed('America/New_York', { weekly: true, monthly: true });
  const before = ['month 2026-02-01', 'week 2026-02-16'];
  for (const [at, expected] of [
    ['2026-03-01T11:59:00Z', ['week 2026-02-16']],
    ['2026-03-01T12:00:00Z', before],
    ['2026-03-09T10:59:00Z', before],
    ['2026-03-09T11:00:00Z', [...before, 'week 2026-03-02']],
  ] as const) {
    await mark(at);
    expect([at, await marked(userId)]).toEqual([at, expected]);
  }
});

test('nothing is mailed without the subscription, the feature, or the right to see revenue; after 07:00 a subscription begins with the next report', async () => {
  const gone = await subscribed('America/El_Salvador', { weekly: true }, { isActive: false });
  const closed = await subscribed('America/El_Salvador', { weekly: true });
  clinics.set(closed.id, { features: ['daily_agenda'] });
  const back = await subscribed('America/El_Salvador', { weekly: true });
  const desk = await subscribed('America/El_Salvador', { weekly: true }, { appRole: 'receptionist' });
  clinics.set(desk.id, { guards: ['revenue_hidden_from_receptionists'] });
  s.clock.set(new Date('2026-06-08T13:00:01Z'));
  const late = await subscribed('America/El_Salvador', { weekly: true });
  await reports().updateReportSubscription({ weekly: false }, back.as);
  await mark('2026-06-08T14:00:00Z');
  for (const { userId } of [gone, closed, desk]) await finished(userId, 1);
  expect([gone, closed, desk].flatMap(({ userId }) => mailsTo(userId))).toEqual([]);
  expect([await marked(back.userId), await marked(late.userId)]).toEqual([[], []]);
});
