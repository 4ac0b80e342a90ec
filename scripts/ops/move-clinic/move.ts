// Moves the rows of a clinic to another installation. At any instant the clinic is in one of three places: the tables of the source, the staging
// schema of the target, or the tables of the target. Each change of place is one transaction, so the command can be killed at any time and run
// again.
import { setTimeout as sleep } from 'node:timers/promises';
import { jobsSchema } from '@clinic/lib/db/jobs-schema.ts';
import type pg from 'pg';
import { v7 } from 'uuid';
import { connect as connectTo, tryLock, withClient } from '../../database.ts';
import { schemaSources } from '../../schemas.ts';
import { ownerConnection } from '../command.ts';
import { findMovedTables, type MovedTable } from './catalogue.ts';
import { begin, dropStaging, isStaged, load, stage } from './copy.ts';

export type Move = {
  clinicId: string;
  /** The owners' URLs of the source and the target. */
  from: string;
  to: string;
  /** Whether the clinic stays read-only in the target. */
  readOnly: boolean;
  print: (line: string) => void;
  /** Copies the contents of the files whose rows the snapshot sees. */
  copyFiles?: (snapshot: pg.Client) => Promise<void>;
  /** Called after each step; tests interrupt the move there. */
  reached?: (step: Step) => void;
};
export type Step = 'staged' | 'loaded' | 'removed';

/** Where the clinic is. */
export type Place = 'source' | 'staging' | 'target' | 'nowhere' | 'both';

/** The clinic changed during the attempt, or is being worked on: the attempt is repeated. */
class Busy extends Error {}

const ATTEMPTS = 20;
const PAUSE_MS = 1_000;
/** Shorter than deadlock_timeout, so that a deadlock ends this attempt instead of the transaction of another process. */
const LOCK_MS = 500;
const LOCK_ATTEMPTS = 20;
const QUIET_MS = 30_000;
/** The time after publication in which consumers handle an event. */
const CONSUMED = '3 seconds';
const LOOK_MS = 250;
const SERIALIZATION_FAILURE = '40001';
const REPEATED = new Set([SERIALIZATION_FAILURE, '40P01', '55P03']);

const CONNECTION = ownerConnection('clinic-move');

export const connect = (url: string) => connectTo(url, CONNECTION);

/** Prevents other commands from moving the clinic until the connection to the source ends. Returns false when one does. */
export const lockMove = (source: pg.Client, clinicId: string) => tryLock(source, `move-clinic ${clinicId}`);

export async function placeOf(source: pg.Client, target: pg.Client, clinicId: string): Promise<Place> {
  const has = async (client: pg.Client) => (await client.query('select from identity.clinics where clinic_id = $1', [clinicId])).rowCount === 1;
  const [inSource, inTarget, staged] = await Promise.all([has(source), has(target), isStaged(target, clinicId)]);
  if (inSource) return inTarget ? 'both' : 'source';
  if (staged) return 'staging';
  return inTarget ? 'target' : 'nowhere';
}

/** Loads the rows that an interrupted move has left in the staging schema. Returns the number of rows. */
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

/** Moves the rows from the source, where the clinic must already be read-only. Returns the number of rows. */
export async function moveRows(move: Move): Promise<number> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt(move);
    } catch (error) {
      const repeated = error instanceof Busy || REPEATED.has((error as pg.DatabaseError).code ?? '');
      if (!repeated || attempts === ATTEMPTS) throw error;
      move.print(`${(error as Error).message}; trying again`);
      await sleep(PAUSE_MS);
    }
  }
}

async function attempt(move: Move): Promise<number> {
  const { clinicId, reached = () => {} } = move;
  // `source` reads from one snapshot; `watch` sees changes that are committed after it.
  const [source, watch, target] = await Promise.all([connect(move.from), connect(move.from), connect(move.to)]);
  try {
    const tables = await findMovedTables(source);
    // With this lock, deliveries of the chat provider are stored but not processed until the end: a clinic with many messages would never be quiet.
    await watch.query(`select pg_advisory_lock(hashtext('messaging.chat_events'))`);
    await untilQuiet(watch, tables, clinicId);
    await dropStaging(target, clinicId);
    await begin(source, 'repeatable read');
    // Processes skip locked turns. Otherwise they would claim the turns of the read-only clinic, and so change their rows, every few seconds.
    await source.query('select from messaging.turns where clinic_id = $1 for update nowait', [clinicId]);
    const recent = v7({ msecs: Date.now() - RECENT_MS, seq: 0, random: new Uint8Array(16) });
    const found = await countRows(source, tables, clinicId, recent);
    const busy = await busyWith(source, tables, clinicId);
    if (busy.length > 0) throw new Busy(`The clinic is busy: ${busy.join(', ')}`);
    await stage(source, target, tables, clinicId);
    reached('staged');
    await move.copyFiles?.(source); // before the source loses the rows
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

/** Deletes the rows. Throws Busy when one of them has changed since it was copied. */
async function remove(source: pg.Client, name: string, where: string): Promise<void> {
  await source.query(`delete from ${name} where ${where}`).catch((error: pg.DatabaseError) => {
    throw error.code === SERIALIZATION_FAILURE ? new Busy(`The clinic has changed rows in ${name}`) : error;
  });
}

const isTenant = ({ where }: MovedTable) => where === 'clinic_id = $1';

/** Makes all writers wait until the end of the transaction, so that no row is added that would be left behind. */
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

/** Counts the clinic's rows in each table, by the index on clinic_id. Outboxes have no such index: there, only ids from `recent` on are counted. */
async function countRows(client: pg.Client, tables: MovedTable[], clinicId: string, recent: string): Promise<Map<string, number>> {
  const counts = tables.filter(isTenant).map(({ name }) => {
    const bound = name.endsWith('."outbox"') ? ' and id >= $2' : '';
    return `select '${name}' as name, count(*)::int as count from ${name} where clinic_id = $1${bound}`;
  });
  const { rows } = await client.query<{ name: string; count: number }>(counts.join(' union all '), [clinicId, recent]);
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/** The clinic's work in progress in the source: events being delivered, running jobs, claimed messages and documents. */
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
