// Messages and mails of all clinics that were given up, or that failed and will be retried.
import { type Db, readSystem, row, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { jobsSchema } from '@clinic/lib/db/jobs-schema.ts';
import { toPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { SUPERSEDED } from '../mail/mails.sql.ts';
import { TO_SEND } from './outbound.sql.ts';

type DeadLetterRow = {
  id: string;
  channel: 'chat' | 'mail';
  clinic_id: string | null;
  kind: string;
  status: string;
  attempts: number;
  error_code: string;
  error: string;
  created_at: Date;
  updated_at: Date;
  next_attempt_at: Date | null;
};

const CHAT = `id, 'chat' as channel, clinic_id, kind, state as status, attempts, error_code, error, created_at, updated_at, null::timestamptz as next_attempt_at`;
const MAIL = `id, 'mail' as channel, null::uuid as clinic_id, kind, state as status, attempts, 'mail' as error_code, error, created_at, updated_at,
  null::timestamptz as next_attempt_at`;

export const LETTER_STATES = ['dead', 'retrying'] as const;
type LetterState = (typeof LETTER_STATES)[number];

const retrying = (columns: string) => columns.replace('state as status', "'retrying' as status");

/** A mail that nothing has superseded. */
const IS_NEEDED = `error <> '${SUPERSEDED}'`;

const listStatement = (chat: string, mail: string, where: string) =>
  sql<DeadLetterRow & { total: number }>(`
  select counted.total, page.* from (
    select ((select count(*) ${TO_SEND} where ${where}) + (select count(*) from mails where ${where} and ${IS_NEEDED}))::int as total
  ) counted left join lateral (
    (select ${chat} ${TO_SEND} where ${where} union all select ${mail} from mails where ${where} and ${IS_NEEDED}) order by updated_at desc, id limit $1 offset $2
  ) page on true`);
const listStatements: Record<LetterState, ReturnType<typeof listStatement>> = {
  dead: listStatement(CHAT, MAIL, "state = 'dead'"),
  retrying: listStatement(retrying(CHAT).replace('null::timestamptz', 'next_attempt_at'), retrying(MAIL), "state = 'queued' and attempts > 0 and error <> ''"),
};

// The time of a mail's next attempt is stored with its job. One pass over the jobs for all mails of a page, because no index has the id of the mail.
const nextMailsStatement = sql<{ id: string; at: Date }>(`
  select data ->> 'id' as id, min(start_after) as at from ${jobsSchema('messaging')}.job
  where name = 'send-mail' and state = 'retry' and data ->> 'id' = any($1) group by 1`);

export async function listDeadLetters(db: Db, state: LetterState, { limit, offset }: Page): Promise<{ letters: DeadLetterRow[]; total: number }> {
  // As the system, because it covers all clinics.
  const { rows: letters, total } = toPage(await readSystem(db, listStatements[state], [limit, offset]));
  const retried = state === 'retrying' ? letters.filter(({ channel }) => channel === 'mail') : [];
  const next = retried.length > 0 ? await readSystem(db, nextMailsStatement, [retried.map(({ id }) => id)]) : [];
  const times = new Map(next.map(({ id, at }) => [id, at]));
  return { letters: letters.map((one) => ({ ...one, next_attempt_at: times.get(one.id) ?? one.next_attempt_at })), total };
}

const replayChatStatement = sql<DeadLetterRow>(`
  update outbound set state = 'queued', attempts = 0, failures = 0, next_attempt_at = $2, due_at = $2, error_code = '', error = '', updated_at = $2
  where clinic_id = (select clinic_id from sends where id = $1) and id = $1 and state = 'dead'
  returning ${CHAT}`);
const replayMailStatement = sql<DeadLetterRow>(
  `update mails set state = 'queued', updated_at = $2 where id = $1 and state = 'dead' and ${IS_NEEDED} returning ${MAIL}`,
);
const messageStatement = sql("update messages set status = 'queued', error = null where clinic_id = $1 and id = $2");

/** Undefined when no dead message or mail has this id. */
export async function replayDeadLetter(tx: SystemTx, id: string, now: Date): Promise<DeadLetterRow | undefined> {
  const chat = await row(tx, replayChatStatement, [id, now]);
  if (chat) {
    tx.wrote.add('outbound');
    await row(tx, messageStatement, [chat.clinic_id, id]);
  }
  return chat ?? row(tx, replayMailStatement, [id, now]);
}
