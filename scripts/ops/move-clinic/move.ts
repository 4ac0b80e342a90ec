// Moves a clinic to another installation. At any instant it is in one of three places: in the tables of the source, in the staging schema of
// the target, in the tables of the target. Each change of place is one transaction, so the command may be killed at any time and run again.
import { setTimeout as sleep } from 'node:timers/promises';
import { jobsSchema } from '@clinic/lib/db/jobs-schema.ts';
import type pg from 'pg';
import { v7 } from 'uuid';
import { connect as connectTo, withClient } from '../../database.ts';
import { schemaSources } from '../../schemas.ts';
import { findMovedTables, type MovedTable } from './catalogue.ts';
import { begin, dropStaging, isStaged, load, stage } from './copy.ts';

export type Move = {
  clinicId: string;
  /** URLs of the owners. */
  from: string;
  to: string;
  /** Whether the clinic stays read-only in the target. */
  readOnly: boolean;
  say: (line: string) => void;
  /** Called between two steps; tests end the move here. */
  reached?: (step: Step) => void;
};
export type Step = 'staged' | 'loaded' | 'removed';

/** Where the clinic is. */
export type Place = 'source' | 'staging' | 'target' | 'nowhere' | 'both';

/** The clinic changed meanwhile, or other work is in the way: the attempt is repeated. */
class Busy extends Error {}

const ATTEMPTS = 20;
const PAUSE_MS = 1_000;
/** Shorter than deadlock_timeout, so that a deadlock ends the move's attempt and not the work of others. */
const LOCK_MS = 500;
const LOCK_ATTEMPTS = 20;
const QUIET_MS = 30_000;
/** Consumers have handled an event by then. */
const CONSUMED = '3 seconds';
const LOOK_MS = 250;
const SERIALIZATION_FAILURE = '40001';
const REPEATED = new Set([SERIALIZATION_FAILURE, '40P01', '55P03']);

const CONNECTION = { application_name: 'clinic-move', keepAlive: true };

export const connect = (url: string) => connectTo(url, CONNECTION);

export async function placeOf(source: pg.Client, target: pg.Client, clinicId: string): Promise<Place> {
  const has = async (client: pg.Client) => (await client.query('select from identity.clinics where clinic_id = $1', [clinicId])).rowCount === 1;
  const [inSource, inTarget, staged] = await Promise.all([has(source), has(target), isStaged(target, clinicId)]);
  if (inSource) return inTarget ? 'both' : 'source';
  if (staged) return 'staging';
  return inTarget ? 'target' : 'nowhere';
}

/** From the staging schema, where an interrupted move has left the clinic. Returns the number of rows. */
export async function finishLoading({ clinicId, to, readOnly }: Move): Promise<number> {
  return withClient(
    to,
    async (target) => {
      await begin(target);
      const rows = await load(target, await findMovedTables(target), clinicId, readOnly);
      await target.query('commit');
      return rows;
    },
    CONNECTION,
  );
}

/** From the source, where the clinic is read-only already. Returns the number of rows. */
export async function moveRows(move: Move): Promise<number> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt(move);
    } catch (error) {
      const repeated = error instanceof Busy || REPEATED.has((error as pg.DatabaseError).code ?? '');
      if (!repeated || attempts === ATTEMPTS) throw error;
      move.say(`${(error as Error).message}; trying again`);
      await sleep(PAUSE_MS);
    }
  }
}

async function attempt(move: Move): Promise<number> {
  const { clinicId, reached = () => {} } = move;
  // `watch` sees what is committed while the transaction of `source` sees one instant.
  const [source, watch, target] = await Promise.all([connect(move.from), connect(move.from), connect(move.to)]);
  try {
    const tables = await findMovedTables(source);
    // Deliveries of the chat provider are stored meanwhile, and processed afterwards: a clinic with many messages would never be at rest.
    await watch.query(`select pg_advisory_lock(hashtext('messaging.chat_events'))`);
    await untilQuiet(watch, tables, clinicId);
    await dropStaging(target, clinicId);
    await begin(source, 'repeatable read');
    // Processes skip locked turns. Otherwise those of the read-only clinic are looked at, and thereby changed, every few seconds.
    await source.query('select from messaging.turns where clinic_id = $1 for update nowait', [clinicId]);
    const recent = v7({ msecs: Date.now() - RECENT_MS, seq: 0, random: new Uint8Array(16) });
    const found = await countRows(source, tables, clinicId, recent);
    const busy = await busyWith(source, tables, clinicId);
    if (busy.length > 0) throw new Busy(`The clinic is busy: ${busy.join(', ')}`);
    await stage(source, target, tables, clinicId);
    reached('staged');
    await begin(target);
    const rows = await load(target, tables, clinicId, move.readOnly);
    reached('loaded');
    for (const { name, where, copied } of tables) if (!copied) await remove(source, name, where.replaceAll('$1', `'${clinicId}'`));
    await lockTables(source, tables);
    const now = await countRows(watch, tables, clinicId, recent);
    for (const [name, count] of found) if (now.get(name) !== count) throw new Busy(`The clinic has new rows in ${name}`);
    await source.query('commit');
    reached('removed');
    await target.query('commit');
    return rows;
  } finally {
    await Promise.all([source, watch, target].map((client) => client.end()));
  }
}

/** Fails when one of the rows has changed since it was copied. */
async function remove(source: pg.Client, name: string, where: string): Promise<void> {
  await source.query(`delete from ${name} where ${where}`).catch((error: pg.DatabaseError) => {
    throw error.code === SERIALIZATION_FAILURE ? new Busy(`The clinic has changed rows in ${name}`) : error;
  });
}

const isTenant = ({ where }: MovedTable) => where === 'clinic_id = $1';

/** All writers wait from here to the end of the transaction: nobody adds a row that would be left behind. */
async function lockTables(source: pg.Client, tables: MovedTable[]): Promise<void> {
  const names = tables.filter(isTenant).map(({ name }) => name);
  await source.query(`set local lock_timeout = ${LOCK_MS}`);
  for (let attempts = 1; ; attempts++) {
    await source.query('savepoint before_locks');
    try {
      return void (await source.query(`lock table ${names.join(', ')} in share row exclusive mode`));
    } catch (error) {
      if ((error as pg.DatabaseError).code !== '55P03' || attempts === LOCK_ATTEMPTS) throw error;
      await source.query('rollback to savepoint before_locks');
      await sleep(PAUSE_MS);
    }
  }
}

const RECENT_MS = 600_000;

/** Of each table, by its index on clinic_id; of the outboxes, which have none, from the id `recent`. */
async function countRows(client: pg.Client, tables: MovedTable[], clinicId: string, recent: string): Promise<Map<string, number>> {
  const counts = tables.filter(isTenant).map(({ name }) => {
    const bound = name.endsWith('."outbox"') ? ' and id >= $2' : '';
    return `select '${name}' as name, count(*)::int as count from ${name} where clinic_id = $1${bound}`;
  });
  const { rows } = await client.query<{ name: string; count: number }>(counts.join(' union all '), [clinicId, recent]);
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/** What processes of the source work on: events that are on their way, jobs, messages that it sends or answers, documents that it hands over. */
async function busyWith(client: pg.Client, tables: MovedTable[], clinicId: string): Promise<string[]> {
  const claims = tables.flatMap(({ name, columns }) =>
    ['claimed_until', 'lease_until'].flatMap((column) =>
      columns.includes(column) ? [`select '${name}' as what from ${name} where clinic_id = $1 and ${column} > clock_timestamp()`] : [],
    ),
  );
  const events = schemaSources().map(
    ({ schema }) =>
      `select '${schema} events' from ${schema}.outbox where clinic_id = $1 and (published_at is null or published_at > now() - interval '${CONSUMED}')`,
  );
  const jobs = schemaSources().flatMap(({ schema, jobs }) =>
    jobs ? [`select '${schema} jobs' from ${jobsSchema(schema)}.job where state = 'active' and data->>'clinicId' = $1::uuid::text`] : [],
  );
  const { rows } = await client.query<{ what: string }>(`select distinct what from (${[...claims, ...events, ...jobs].join(' union all ')}) busy (what)`, [
    clinicId,
  ]);
  return rows.map(({ what }) => what);
}

async function untilQuiet(client: pg.Client, tables: MovedTable[], clinicId: string): Promise<void> {
  const until = performance.now() + QUIET_MS;
  for (;;) {
    const busy = await busyWith(client, tables, clinicId);
    if (busy.length === 0) return;
    if (performance.now() > until) throw new Busy(`The clinic is busy: ${busy.join(', ')}`);
    await sleep(LOOK_MS);
  }
}
