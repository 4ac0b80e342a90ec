// Sends one mail. It is tried again for about three hours; then it is dead until an operator replays it.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { writeMail } from './mail-texts-rules.ts';
import { lockQueuedMail, markFailed, markSent } from './mails.sql.ts';
import { decryptContent, decryptMail } from './store-mail.ts';

const RETRIES = 24;

export const sendMailJob = (app: App) =>
  job<{ id: string; first: number }>('send-mail', { retries: RETRIES, limitSeconds: 60, concurrency: 2 }, async ({ id, first }) => {
    // As the system: a mail belongs to no clinic. The row stays locked while the mail is sent, so that no second worker sends it.
    const failure = await asSystem(app.db, async (tx) => {
      const mail = await lockQueuedMail(tx, id);
      if (!mail?.to_sealed || !mail.content_sealed) return undefined;
      const to = decryptMail(app.keys, id, 'to', mail.to_sealed);
      const { parameters, attachments } = decryptContent(app, id, mail.content_sealed);
      try {
        await app.mailer(id, to, { ...writeMail(mail.kind, parameters), attachments });
        await markSent(tx, id, app.clock.now());
        return undefined;
      } catch (error) {
        await markFailed(tx, id, errorCodeOf(error), mail.attempts - first >= RETRIES, app.clock.now());
        return new Error('the mail server did not accept the mail');
      }
    });
    if (failure) throw failure;
  });

/** Only the codes: the server's message may contain the address. */
function errorCodeOf(error: unknown): string {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return [code, responseCode].filter(Boolean).join(' ') || 'unknown';
}
