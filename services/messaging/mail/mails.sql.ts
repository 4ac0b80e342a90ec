// Mails to be sent. They belong to no clinic, so all statements run as the system. Address and content are encrypted.
import { execute, row, type SystemTx, sql } from '@clinic/lib/db/db.ts';

export type MailRow = { id: string; kind: string; reference: string | null; to_sealed: Buffer; content_sealed: Buffer; attempts: number; created_at: Date };

const insertStatement = sql<{ id: string }>(`
  insert into mails (id, kind, reference, to_sealed, content_sealed, next_attempt_at, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6, $6)
  on conflict on constraint mails_reference_unique do nothing returning id`);
const findByReferenceStatement = sql<{ id: string }>('select id from mails where kind = $1 and reference = $2');

type NewMail = { id: string; kind: string; reference: string | null; to: Buffer; content: Buffer };

/** The id of the mail with this reference, and whether it is new. */
export async function insertMail(tx: SystemTx, { id, kind, reference, to, content }: NewMail, now: Date): Promise<{ id: string; isNew: boolean }> {
  if (await row(tx, insertStatement, [id, kind, reference, to, content, now])) return { id, isNew: true };
  const known = await row(tx, findByReferenceStatement, [kind, reference]);
  return { id: known?.id ?? id, isNew: false };
}

const findStatement = sql<MailRow>(`
  select id, kind, reference, to_sealed, content_sealed, attempts, created_at from mails
  where id = $1 and state = 'queued' and to_sealed is not null and content_sealed is not null`);

export const findQueuedMail = (tx: SystemTx, id: string) => row(tx, findStatement, [id]);

const sentStatement = sql(`
  update mails set state = 'sent', attempts = attempts + 1, to_sealed = null, content_sealed = null, error = '', updated_at = $2
  where id = $1 and state = 'queued'`);

/** Also deletes address and content. */
export async function markSent(tx: SystemTx, id: string, now: Date): Promise<void> {
  await execute(tx, sentStatement, [id, now]);
}

const failedStatement = sql(`
  update mails set state = case when $4 then 'dead' else 'queued' end, attempts = attempts + 1, error = $3, updated_at = $2
  where id = $1 and state = 'queued'`);

export async function markFailed(tx: SystemTx, id: string, error: string, dead: boolean, now: Date): Promise<void> {
  await execute(tx, failedStatement, [id, now, error, dead]);
}

/** The error of a mail that was not sent, because it was no longer needed. It is no dead letter: an operator cannot send it again. */
export const SUPERSEDED = 'superseded';

const SUPERSEDE = `update mails set state = 'dead', error = '${SUPERSEDED}', to_sealed = null, content_sealed = null, updated_at = $1 where state = 'queued'`;
const supersedeStatement = sql(`${SUPERSEDE} and kind = $2 and reference = any($3)`);
const supersedeNoticesStatement = sql(`${SUPERSEDE} and kind = 'appointment_notice' and reference > $2 and reference < $3 and reference <> $4`);

/** Gives up mails that were not sent yet. Also deletes address and content. */
export const supersedeMails = (tx: SystemTx, kind: string, references: string[], now: Date) => execute(tx, supersedeStatement, [now, kind, references]);

/** The same for the notices of an appointment, whose references are between `from` and `to`, except for the newest. */
export const supersedeNotices = (tx: SystemTx, { from, to }: { from: string; to: string }, newest: string, now: Date) =>
  execute(tx, supersedeNoticesStatement, [now, from, to, newest]);

const purgeStatement = sql(`
  delete from mails where id = any(array(
    select id from mails where (state = 'sent' and updated_at < $1) or (state = 'dead' and updated_at < $2) limit $3))`);

/** Deletes up to `limit` mails that were sent or given up before these instants. Returns their number. */
export const purgeEnded = (tx: SystemTx, sentBefore: Date, deadBefore: Date, limit: number) => execute(tx, purgeStatement, [sentBefore, deadBefore, limit]);
