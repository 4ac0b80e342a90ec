// Mails to users about the security of their accounts, and to admins about new accounts.
import type { Tx } from '@clinic/lib/db/db.ts';
import { spanishInstant } from '@clinic/lib/formats/day-text.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { listRecipients } from './recipients.sql.ts';

const MAIL_NOTICE = 'mail-notice';

/** The kinds of mails (MailService). */
type NoticeKind = 'account_locked' | 'code_locked' | 'mfa_enabled' | 'mfa_removed' | 'new_device' | 'password_changed' | 'pin_locked' | 'user_created';

/** `userId` is the account that the notice is about, `sessionId` its new session. */
type Notice = { id: string; kind: NoticeKind; clinicId: string; userId: string; sessionId?: string; at: string };

export const notify = (tx: Tx, kind: NoticeKind, about: Pick<Notice, 'clinicId' | 'userId' | 'sessionId'>, now: Date) =>
  enqueue(tx, MAIL_NOTICE, { ...about, id: v7(), kind, at: now.toISOString() } satisfies Notice);

/** Safe to repeat: messaging sends one mail per reference. */
export const mailNotice = (app: App) =>
  job<Notice>(MAIL_NOTICE, {}, async ({ id, kind, clinicId, userId, sessionId, at }) => {
    for (const recipient of await listRecipients(app.db, clinicId, userId, kind === 'user_created', sessionId)) {
      const parameters = {
        name: recipient.full_name,
        clinic: recipient.clinic_name,
        at: spanishInstant(new Date(at), recipient.timezone),
        user: recipient.user_name,
        device: recipient.device || 'un dispositivo desconocido',
        ip: recipient.ip || 'desconocida',
      };
      await app.mail.sendMail({ kind, to: recipient.email, parameters, reference: `${id}/${recipient.id}` }, callAs(serviceCaller('identity', id)));
    }
  });
