// Moves the times of a restored database forward, as if its backup had just been made, so that a fixture can be used for years.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import { DateTime } from 'luxon';
import pg from 'pg';

type Column = { schema: string; table: string; name: string; type: 'date' | 'timestamp with time zone' | 'tstzrange' };

// Not moved are the audit logs, whose hash chain covers the times, and tables about this database itself.
const LEFT_ALONE = ['audit_log', 'audit_chain', 'audit_pending', 'migrations', 'published_stream', 'running_processes', 'version'];

const COLUMNS = `
  select c.table_schema as schema, c.table_name as table, c.column_name as name, c.data_type as type
  from information_schema.columns c
  join pg_class k on k.relname = c.table_name and k.relnamespace = c.table_schema::regnamespace
  where k.relkind in ('r', 'p') and not k.relispartition and c.is_generated = 'NEVER' and not c.table_name = any($1)
    and c.table_schema not in ('information_schema', 'public') and c.table_schema not like 'pg\\_%'
    and c.data_type in ('date', 'timestamp with time zone', 'tstzrange')`;

/** A detour that is large enough that no moved row conflicts with one that has not been moved yet. */
const FAR_DAYS = 100_000;

/**
 * Moves tables with local dates by whole days of `zone`, and all others by the exact time since `madeAt`. Returns a function that moves the dates in
 * a text in the same way, for data of clients such as the ids of buttons.
 */
export async function bringForward(
  ownerUrl: string,
  { madeAt, zone, keys }: { madeAt: string; zone: string; keys: NamedKey[] },
): Promise<(text: string) => string> {
  const made = DateTime.fromISO(madeAt, { zone });
  const now = DateTime.now().setZone(zone);
  const days = Math.round(now.startOf('day').diff(made.startOf('day'), 'days').days);
  const ms = now.toMillis() - made.toMillis();
  const elapsed = `${ms} milliseconds`;
  const move = (text: string) => text.replaceAll(/\d{4}-\d{2}-\d{2}/g, (date) => DateTime.fromISO(date).plus({ days }).toISODate() ?? date);

  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(`begin; set local session_replication_role = replica; set local timezone = 'UTC'`);
    const { rows } = await client.query<Column>(COLUMNS, [LEFT_ALONE]);
    for (const columns of Map.groupBy(rows, ({ schema, table }) => `${schema}."${table}"`).values()) {
      const by = columns.some(({ type }) => type === 'date') ? `${days} days` : elapsed;
      await moveTable(client, columns, `interval '${by}' + interval '${FAR_DAYS} days'`, days + FAR_DAYS);
      await moveTable(client, columns, `interval '-${FAR_DAYS} days'`, -FAR_DAYS);
    }
    const { rows: sessions } = await client.query<{ clinic_id: string; phone: string; state: string }>(
      'select clinic_id, phone, state::text from messaging.bot_sessions',
    );
    for (const { clinic_id, phone, state } of sessions)
      await client.query('update messaging.bot_sessions set state = $3 where clinic_id = $1 and phone = $2', [clinic_id, phone, move(state)]);
    for (const body of BODIES) await moveBodies(client, keys, body, ms);
    await client.query('commit');
  } finally {
    await client.end();
  }
  return move;
}

/** Moves the instants in deliveries of providers that are not processed yet, which are encrypted JSON. */
const BODIES = [
  { table: 'messaging.chat_events', context: (id: string) => `chat_events/${id}` },
  { table: 'billing.payment_events', context: (id: string) => `billing:payment_events:${id}:body` },
];

async function moveBodies(client: pg.Client, keys: NamedKey[], { table, context }: (typeof BODIES)[number], ms: number): Promise<void> {
  const { rows } = await client.query<{ id: string; body_sealed: Buffer }>(`select id, body_sealed from ${table} where status = 'received'`);
  for (const { id, body_sealed } of rows) {
    const body = Buffer.from(decrypt(keys, body_sealed, context(id)), 'base64').toString();
    const moved = body
      .replaceAll(/"timestamp":"(\d+)"/g, (_, seconds) => `"timestamp":"${Math.round(Number(seconds) + ms / 1000)}"`)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (instant) => new Date(Date.parse(instant) + ms).toISOString());
    await client.query(`update ${table} set body_sealed = $2 where id = $1`, [id, encrypt(keys, Buffer.from(moved).toString('base64'), context(id))]);
  }
}

function moveTable(client: pg.Client, columns: Column[], interval: string, days: number) {
  const [{ schema, table } = { schema: '', table: '' }] = columns;
  const moved = {
    date: (name: string) => `${name} + ${days}`,
    'timestamp with time zone': (name: string) => `${name} + ${interval}`,
    tstzrange: (name: string) => `tstzrange(lower(${name}) + ${interval}, upper(${name}) + ${interval})`,
  };
  const assignments = columns.map(({ name, type }) => `"${name}" = ${moved[type](`"${name}"`)}`);
  return client.query(`update ${schema}."${table}" set ${assignments.join(', ')}`);
}
