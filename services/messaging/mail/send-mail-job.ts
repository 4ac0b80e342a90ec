// Sends one mail. Failed attempts are retried for two to three hours; then the mail is dead until an operator replays it. No transaction is open
// while the mail server is called: if a worker is killed before it stores the outcome, the mail is sent again with the same Message-ID.
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { writeMail } from './mail-texts-rules.ts';
import { RESPONSE_TIMEOUT_MS } from './mailer.ts';
import { findQueuedMail, type MailRow, markFailed, markSent } from './mails.sql.ts';
import { decryptContent, decryptMail } from './store-mail.ts';

const RETRIES = 24;
/** Longer than connecting to a slow server and its response take, because a job that exceeds its limit runs again while the first run continues. */
const LIMIT_SECONDS = RESPONSE_TIMEOUT_MS / 1_000 + 300;
/** How long mails of these kinds are worth sending. Messages to patients are as long as by chat (outbound/message-kinds-rules.ts). */
const VALID_MS: Record<string, number> = {
  password_reset: 30 * 60_000,
  user_invited: 72 * 3_600_000,
  booking_code: 10 * 60_000,
  appointment_reminder: 24 * 3_600_000,
  appointment_notice: 24 * 3_600_000,
};
/** The reminder of two hours before the appointment. */
const LAST_REMINDER_MS = 90 * 60_000;

type Mails = Pick<App, 'db' | 'clock' | 'keys' | 'mailer'>;

export const sendMailJob = (app: App) =>
  job<{ id: string; first: number }>('send-mail', { retries: RETRIES, limitSeconds: LIMIT_SECONDS, concurrency: 2 }, ({ id, first }) =>
    sendMail(app, id, first),
  );

/** `first` is the number of attempts before this job. Throws if the mail is to be retried. */
export async function sendMail(app: Mails, id: string, first: number): Promise<void> {
  // As the system, because a mail belongs to no clinic.
  const save = (work: (tx: SystemTx, now: Date) => Promise<void>) => asSystem(app.db, (tx) => work(tx, app.clock.now()));
  const mail = await asSystem(app.db, (tx) => findQueuedMail(tx, id));
  if (!mail) return;
  if (isTooLate(mail, app.clock.now())) return save((tx, now) => markFailed(tx, id, 'expired', true, now));
  try {
    await transmit(app, mail);
  } catch (error) {
    await save((tx, now) => markFailed(tx, id, errorCodeOf(error), mail.attempts - first >= RETRIES, now));
    throw error;
  }
  await save((tx, now) => markSent(tx, id, now));
}

const isTooLate = (mail: MailRow, now: Date) => now.getTime() - mail.created_at.getTime() > validMs(mail);

function validMs({ kind, reference }: MailRow): number {
  const isLast = kind === 'appointment_reminder' && reference?.includes('/hours/');
  return isLast ? LAST_REMINDER_MS : (VALID_MS[kind] ?? Number.POSITIVE_INFINITY);
}

async function transmit(app: Mails, { id, kind, to_sealed, content_sealed }: MailRow): Promise<void> {
  const to = decryptMail(app.keys, id, 'to', to_sealed);
  const { parameters, attachments } = decryptContent(app, id, content_sealed);
  await app.mailer(id, to, { ...writeMail(kind, parameters), attachments });
}

/** Codes only, because the server's message may contain the address. */
function errorCodeOf(error: unknown): string {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return [code, responseCode].filter(Boolean).join(' ') || 'unknown';
}
