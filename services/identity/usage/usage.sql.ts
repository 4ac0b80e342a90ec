// Usage by clinic and day, in UTC.
import { type Db, execute, readSystem, readTenant, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { Stored } from '@clinic/lib/usage/storage.ts';

type Usage = { requests: bigint; messages: bigint; assistant_tokens: bigint };
type DayRow = Usage & { day: string };

const reportStatement = sql('insert into usage_reports (id, added_at) values ($1, now()) on conflict (id) do nothing');
// Clinics that were erased meanwhile are skipped. Rows are written in the order of the key, so that concurrent reports cannot deadlock.
const addStatement = sql(`
  insert into clinic_usage as u (clinic_id, day, requests, messages, assistant_tokens)
  select g.clinic_id, g.day, sum(g.requests), sum(g.messages), sum(g.assistant_tokens)
  from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[]) as g (clinic_id, day, requests, messages, assistant_tokens)
  join clinics c on c.clinic_id = g.clinic_id
  group by g.clinic_id, g.day order by g.clinic_id, g.day
  on conflict (clinic_id, day) do update set requests = u.requests + excluded.requests, messages = u.messages + excluded.messages,
    assistant_tokens = u.assistant_tokens + excluded.assistant_tokens`);

type Counted = { clinicId: string; day: string; requests: bigint; messages: bigint; assistantTokens: bigint };

/** Does nothing if the report was added before. */
export async function addReport(tx: SystemTx, id: string, counted: Counted[]): Promise<void> {
  if ((await execute(tx, reportStatement, [id])) === 0) return;
  const columns = (['clinicId', 'day', 'requests', 'messages', 'assistantTokens'] as const).map((name) => counted.map((one) => one[name]));
  await execute(tx, addStatement, columns);
}

const storageStatement = sql(`
  insert into clinic_storage as s (clinic_id, service, bytes, measured_at)
  select c.clinic_id, $1, g.bytes, $4 from unnest($2::uuid[], $3::bigint[]) as g (clinic_id, bytes) join clinics c on c.clinic_id = g.clinic_id
  order by c.clinic_id
  on conflict (clinic_id, service) do update set bytes = excluded.bytes, measured_at = excluded.measured_at`);

/** `stored` contains each clinic at most once. */
export const setStorage = (tx: SystemTx, service: string, stored: Stored[], now: Date) =>
  execute(tx, storageStatement, [service, stored.map(({ clinicId }) => clinicId), stored.map(({ bytes }) => bytes), now]);

const purgeReportsStatement = sql("delete from usage_reports where added_at < now() - interval '1 day'");
const purgeDaysStatement = sql('delete from clinic_usage where day < $1');
// A clinic whose last file was deleted is no longer reported.
const purgeStorageStatement = sql("delete from clinic_storage where measured_at < $1::timestamptz - interval '2 days'");

/** Deletes days before `firstDay`, sizes that are no longer reported, and ids of reports, which are not repeated after a day. */
export async function purgeUsage(tx: SystemTx, firstDay: string, now: Date): Promise<void> {
  await execute(tx, purgeReportsStatement);
  await execute(tx, purgeStorageStatement, [now]);
  await execute(tx, purgeDaysStatement, [firstDay]);
}

const daysStatement = sql<DayRow>(`
  select day, requests, messages, assistant_tokens from clinic_usage where clinic_id = $1 and day between $2 and $3 order by day`);

export const listDays = (db: Db, clinicId: string, from: string, to: string) => readTenant(db, clinicId, daysStatement, [clinicId, from, to]);

const findStorageStatement = sql<{ bytes: bigint }>(`
  select coalesce((select sum(s.bytes) from clinic_storage s where s.clinic_id = c.clinic_id), 0)::bigint as bytes from clinics c where c.clinic_id = $1`);

/** Undefined if the clinic does not exist. */
export const findStorage = async (db: Db, clinicId: string) => (await readTenant(db, clinicId, findStorageStatement, [clinicId]))[0]?.bytes;

type TopRow = Usage & { clinic_id: string; name: string; storage_bytes: bigint };

const topStatement = sql<TopRow>(`
  select c.clinic_id, c.name, coalesce(u.requests, 0) as requests, coalesce(u.messages, 0) as messages, coalesce(u.assistant_tokens, 0) as assistant_tokens,
    coalesce(p.bytes, 0) as storage_bytes
  from clinics c
  left join (
    select clinic_id, sum(requests)::bigint as requests, sum(messages)::bigint as messages, sum(assistant_tokens)::bigint as assistant_tokens
    from clinic_usage where day between $1 and $2 group by clinic_id
  ) u on u.clinic_id = c.clinic_id
  left join (select clinic_id, sum(bytes)::bigint as bytes from clinic_storage group by clinic_id) p on p.clinic_id = c.clinic_id
  order by case $4::text when 'messages' then u.messages when 'assistant_tokens' then u.assistant_tokens when 'storage_bytes' then p.bytes else u.requests end
    desc nulls last, c.clinic_id
  limit $3`);

/** As the system: over all clinics. */
export const listTop = (db: Db, from: string, to: string, top: number, by: string) => readSystem(db, topStatement, [from, to, top, by]);
