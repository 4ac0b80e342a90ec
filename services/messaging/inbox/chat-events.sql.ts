// Stored deliveries of the chat provider. They belong to no clinic, so all statements run as the system.
import { type Db, execute, executeLast, readSystem, row, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { toPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { type QueueRow, watchQueues } from '@clinic/lib/jobs/queue-age.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { lockDeliveryProcessing } from '../channel/unproven-deliveries.sql.ts';

export const STATUSES = ['received', 'done', 'unusable', 'unknown_number', 'unproven_number'] as const;
type ChatEventStatus = (typeof STATUSES)[number];
type ChatEventRow = { id: string; status: ChatEventStatus; detail: string; received_at: Date; bytes: number };
export type ReceivedEvent = { seq: bigint; id: string; body_sealed: Buffer };

const insertStatement = sql(`
  insert into chat_events (id, body_sealed, bytes) select * from unnest($1::uuid[], $2::bytea[], $3::int[])`);

export type NewChatEvent = { id: string; ciphertext: Buffer; bytes: number };

/** The only statement between a delivery and its response. */
export const insertEvents = (db: Db, events: NewChatEvent[]) =>
  readSystem(db, insertStatement, [events.map(({ id }) => id), events.map(({ ciphertext }) => ciphertext), events.map(({ bytes }) => bytes)]);

const receivedStatement = sql<ReceivedEvent>(`
  select seq, id, body_sealed from chat_events where status = 'received' order by seq limit $1`);

/** The oldest deliveries, in the order in which they arrived. Other transactions cannot take deliveries until this one ends. */
export async function takeReceivedEvents(tx: SystemTx, limit: number): Promise<ReceivedEvent[]> {
  const [, received] = await Promise.all([lockDeliveryProcessing(tx), rows(tx, receivedStatement, [limit])]);
  return received;
}

const processedStatement = sql('delete from chat_events where id = any($1::uuid[])');
const resultsStatement = sql(`
  update chat_events e set status = s.status, detail = s.detail, waits_for = s.waits_for
  from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) as s (id, status, detail, waits_for) where e.id = s.id`);

/** `waitsFor`: the numbers that must be proven before a delivery with the status unproven_number is processed. */
export type ProcessingResult = { status: ChatEventStatus; detail: string; waitsFor?: string[] };

/** When the transaction commits, deletes deliveries that were processed, and saves the status of the others. */
export function saveResults(tx: SystemTx, results: (ProcessingResult & { id: string })[]): void {
  const [done, others] = [results.filter(({ status }) => status === 'done'), results.filter(({ status }) => status !== 'done')];
  executeLast(tx, processedStatement, [done.map(({ id }) => id)]);
  if (others.length === 0) return;
  const waitsFor = others.map((one) => (one.waitsFor ? JSON.stringify(one.waitsFor) : null));
  executeLast(tx, resultsStatement, [others.map((one) => one.id), others.map((one) => one.status), others.map((one) => one.detail), waitsFor]);
}

const rejectStatement = sql(`
  update chat_events set status = 'unusable', detail = detail || ' within 7 days' where status = 'unproven_number' and received_at < $1`);

/** Marks unproven deliveries that were received before an instant as unusable. Returns their number. */
export const rejectUnproven = (tx: SystemTx, before: Date) => execute(tx, rejectStatement, [before]);

const listStatement = sql<ChatEventRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from chat_events where status = any($1)) counted
  left join lateral (
    select id, status, detail, received_at, bytes from chat_events where status = any($1) order by seq desc limit $2 offset $3
  ) page on true`);

/** The newest first. */
export async function listEvents(db: Db, statuses: string[], { limit, offset }: Page): Promise<{ events: ChatEventRow[]; total: number }> {
  const { rows: events, total } = toPage(await readSystem(db, listStatement, [statuses, limit, offset]));
  return { events, total };
}

const replayStatement = sql<ChatEventRow>(`
  update chat_events set status = 'received', detail = '' where id = $1 and status in ('unusable', 'unknown_number')
  returning id, status, detail, received_at, bytes`);
const findStatement = sql<ChatEventRow>('select id, status, detail, received_at, bytes from chat_events where id = $1');

/** Queues an unusable delivery for processing again. Returns the delivery even if nothing changed; undefined if it does not exist. */
export const replayEvent = async (tx: SystemTx, id: string) => (await row(tx, replayStatement, [id])) ?? row(tx, findStatement, [id]);

const purgeStatement = sql(`
  delete from chat_events where seq = any(array(
    select seq from chat_events
    where (status = 'done' and received_at < $1) or (status in ('unusable', 'unknown_number') and received_at < $2) limit $3))`);

/** Deletes up to `limit` processed deliveries received before `before`, and unusable ones received before `unusableBefore`. Returns their number. */
export const purgeEvents = (tx: SystemTx, before: Date, unusableBefore: Date, limit: number) => execute(tx, purgeStatement, [before, unusableBefore, limit]);

const queueStatement = sql<QueueRow>(`
  select 'chat-inbound' as queue, count(*) as waiting, extract(epoch from now() - min(received_at))::float8 as seconds
  from chat_events where status = 'received'`);

export const watchChatEvents = (app: { db: Db; log: Log }) => watchQueues(app, ['chat-inbound'], queueStatement);
