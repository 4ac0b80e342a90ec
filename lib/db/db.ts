// The only way to the database: a statement runs inside a transaction that knows its tenant. Row-level security is the
// second lock; the branded transaction types are the first, since a query outside of one does not compile.
import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import pg from 'pg';
import { isUuid } from '../formats/uuid.ts';
import type { Log } from '../telemetry/log.ts';
import { currentTraceparent, inSpan, SpanKind } from '../telemetry/tracing.ts';
import { watchPool } from './pool-use.ts';
import { roleScope, type Scope, scopedRead, tenantScope } from './scoped-read.ts';

declare const scope: unique symbol;
/** A transaction that sees one clinic. */
export type TenantTx = Transaction & { readonly [scope]: 'tenant'; readonly clinicId: string };
/** A transaction of the system itself, which sees all clinics. */
export type SystemTx = Transaction & { readonly [scope]: 'system' };
export type Tx = TenantTx | SystemTx;
type Transaction = {
  readonly client: pg.PoolClient;
  /** Whether a committed event waits for the relay. */
  emitted: boolean;
  /** The first error: statements already sent after it only hear that the transaction is aborted. */
  failure?: unknown;
};

export type Db = {
  readonly pool: pg.Pool;
  /** The service's schema; its request role is `clinic_<schema>`, its system role `clinic_<schema>_system`. */
  readonly schema: string;
  /** Called after a commit that emitted events: the relay's bell. */
  onEmitted: () => void;
};

/** A named statement: PostgreSQL plans it once per connection (measured 6,226 against 4,393 a second unnamed). */
export type Statement<Row> = {
  readonly name: string;
  readonly text: string;
  /** The first verb and the first table, for the name of a span. */
  readonly summary: string;
  readonly _row?: Row;
};

export function sql<Row = Record<string, never>>(text: string): Statement<Row> {
  const verb = /\b(select|insert|update|delete)\b/i.exec(text)?.[1]?.toLowerCase() ?? 'sql';
  const table = /\b(?:from|into|update)\s+([a-z_][\w.]*)/i.exec(text)?.[1] ?? '';
  return { name: createHash('sha1').update(text).digest('base64url'), text, summary: `${verb} ${table}`.trim() };
}

// Dates and times stay the text that they are; an instant is a Date; a bigint is a bigint.
const parsers = new Map<number, (text: string) => unknown>([
  [1082, (text) => text],
  [1083, (text) => text],
  [1114, (text) => text],
  [20, BigInt],
]);
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => (parsers.get(oid) ?? pg.types.getTypeParser(oid, format ?? 'text')) as never,
};

export function openDb(options: { url: string; schema: string; max: number; log: Log }): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
    types,
    pipeline: true,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    options: `-c search_path=${options.schema} -c statement_timeout=10s -c idle_in_transaction_session_timeout=15s -c timezone=UTC`,
    application_name: `clinic-${options.schema}`,
  } as pg.PoolConfig);
  // Whoever uses a connection that breaks hears of it by the statement; without a listener its event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (err) => options.log.warn({ err }, 'idle database connection lost'));
  watchPool(options.schema, pool);
  return { pool, schema: options.schema, onEmitted: () => {} };
}

/** Runs `work` in a transaction that sees only this clinic. Commits when it returns, rolls back when it throws. */
export function inTenant<T>(db: Db, clinicId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> {
  return transact(db, beginTenant(clinicId), (client) => ({ client, clinicId, emitted: false }) as TenantTx, work);
}

/** Runs `work` for the system itself: migrations of data, projections, sign-in, sweeps. Say why at each use. */
export function asSystem<T>(db: Db, work: (tx: SystemTx) => Promise<T>): Promise<T> {
  return transact(db, `begin; set local role clinic_${db.schema}_system`, (client) => ({ client, emitted: false }) as SystemTx, work);
}

/** One read of one clinic in a single round trip. */
export async function readTenant<Row extends object>(db: Db, clinicId: string, statement: Statement<Row>, values: unknown[]): Promise<Row[]> {
  return readOnce(db, tenantScope(checkedClinic(clinicId)), statement, values);
}

/** One read over all clinics in a single round trip. */
export async function readSystem<Row extends object>(db: Db, statement: Statement<Row>, values: unknown[]): Promise<Row[]> {
  return readOnce(db, roleScope(`clinic_${db.schema}_system`), statement, values);
}

export async function rows<Row extends object>(tx: Tx, statement: Statement<Row>, values: unknown[] = []): Promise<Row[]> {
  return (await send<Row>(tx, statement, values)).rows;
}

export async function row<Row extends object>(tx: Tx, statement: Statement<Row>, values: unknown[] = []): Promise<Row | undefined> {
  return (await rows(tx, statement, values))[0];
}

/** The number of rows that the statement changed. */
export async function execute(tx: Tx, statement: Statement<object>, values: unknown[] = []): Promise<number> {
  return (await send(tx, statement, values)).rowCount ?? 0;
}

const SQL_ATTRIBUTES = { 'db.system.name': 'postgresql' };

function send<Row extends object>(tx: Tx, { name, text, summary }: Statement<Row>, values: unknown[]): Promise<pg.QueryResult<Row>> {
  return inSpan(summary, SpanKind.CLIENT, SQL_ATTRIBUTES, () => {
    cork(tx.client);
    return tx.client.query<Row>({ name, text, values }).catch((error) => {
      tx.failure ??= error;
      if (error.code === ABORTED) unprepare(tx.client, name);
      throw error;
    });
  });
}

/** Rows that are worked on later store the active span: their column `trace` has this setting as its default. */
function withTraceparent(begin: string): string {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? begin : `${begin}; set local app.trace='${traceparent}'`;
}

const beginTenant = (clinicId: string) => `begin; set local app.clinic_id='${checkedClinic(clinicId)}'`;

function checkedClinic(clinicId: string): string {
  if (!isUuid(clinicId)) throw new Error('a tenant transaction needs a clinic id');
  return clinicId;
}

/**
 * Whether a statement that came after the failure of its transaction was prepared, PostgreSQL and PgBouncer see differently,
 * and PgBouncer ends a connection that it does not agree with. So all three forget it. Closing one that is not there is no error.
 */
function unprepare(client: pg.PoolClient, name: string): void {
  const { connection } = client as unknown as { connection: { parsedStatements: Record<string, string>; close(message: { type: 'S'; name: string }): void } };
  delete connection.parsedStatements[name];
  connection.close({ type: 'S', name });
}

const corked = new WeakSet<Writable>();

/** What is sent within one turn of the event loop leaves in one packet: begin and all that is pipelined behind it. */
function cork(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection; // public in fact, not in the types
  if (corked.has(stream)) return;
  corked.add(stream);
  stream.cork();
  process.nextTick(() => {
    corked.delete(stream);
    stream.uncork();
  });
}

const ABORTED = '25P02'; // in_failed_sql_transaction

/** begin travels with the first statement, since connections pipeline: one round trip less. */
async function transact<X extends Tx, T>(db: Db, begin: string, open: (client: pg.PoolClient) => X, work: (tx: X) => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  const tx = open(client);
  let broken: Error | undefined;
  try {
    cork(client);
    const [, result] = await Promise.all([client.query(withTraceparent(begin)), work(tx)]);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failed: Error) => {
      broken = failed;
    });
    throw (error as { code?: string }).code === ABORTED ? tx.failure : error;
  } finally {
    client.release(broken);
    if (tx.emitted) db.onEmitted();
  }
}

function readOnce<Row extends object>(db: Db, scope: Scope, { name, text, summary }: Statement<Row>, values: unknown[]): Promise<Row[]> {
  return inSpan(summary, SpanKind.CLIENT, SQL_ATTRIBUTES, async () => {
    const client = await db.pool.connect();
    let broken: Error | undefined;
    try {
      return await scopedRead<Row>(client, scope, { name, text, values });
    } catch (error) {
      // After any other error than one of the statement the state of the connection is unknown, so the pool drops it.
      if ((error as pg.DatabaseError).severity !== 'ERROR') broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  });
}
