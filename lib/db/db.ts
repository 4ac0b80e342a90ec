// All access to the database. A statement needs a transaction of a branded type, which is either of one clinic or of the system, so a query
// without one does not compile. Row-level security enforces the same in PostgreSQL.
import { hash } from 'node:crypto';
import pg from 'pg';
import { ServiceError, toServiceError } from '../errors/errors.ts';
import { isUuid } from '../formats/uuid.ts';
import type { Log } from '../telemetry/log.ts';
import { type Outage, watchOutage } from '../telemetry/outages.ts';
import { currentTraceparent, inSpan, SpanKind } from '../telemetry/tracing.ts';
import { executeAll, executeInTurn, type Prepared, sendTurn } from './batch.ts';
import { watchPool } from './pool-use.ts';
import { watchSilence } from './silence.ts';
import { SparingPool } from './sparing-pool.ts';
import { rethrowUnreachable } from './unreachable.ts';

declare const scope: unique symbol;
/** A transaction that sees the rows of one clinic. */
export type TenantTx = Transaction & { readonly [scope]: 'tenant'; readonly clinicId: string };
/** A transaction of the system itself, which sees the rows of all clinics. */
export type SystemTx = Transaction & { readonly [scope]: 'system' };
export type Tx = TenantTx | SystemTx;
type Transaction = {
  readonly client: pg.PoolClient;
  /** Sent together with the commit. */
  readonly last: [Statement<object>, unknown[]][];
  /** Kinds of rows that it has written for background loops, for example 'events' or 'jobs'. The loops are notified when it ends (Db.onWritten). */
  readonly wrote: Set<string>;
  /** Set before it is committed or rolled back. A later statement fails, instead of becoming part of the next transaction on the connection. */
  ended?: boolean;
  /** The first error. Statements that were already sent after it fail with "transaction is aborted", which does not name the cause. */
  failure?: unknown;
};

/** The two logins of a service, as settings: the request role `clinic_<schema>`, and the system role `clinic_<schema>_system`. */
export type DatabaseUrls = { DATABASE_URL: string; DATABASE_SYSTEM_URL: string };

export type Db = {
  /** Connections of the request role, which sees the clinic of its transaction. */
  readonly pool: SparingPool;
  /** Connections of the system role, which sees all clinics. The request role cannot become it. */
  readonly systemPool: SparingPool;
  readonly schema: string;
  readonly host: string;
  readonly port: number;
  readonly outage: Outage;
  /** Functions by kind of rows, called at the end of a transaction that wrote such rows (Transaction.wrote), also if it was rolled back. */
  readonly onWritten: Map<string, () => void>;
};

/** A named statement, which PostgreSQL plans once per connection: 6,226 executions a second, instead of 4,393 unnamed. */
export type Statement<Row> = {
  readonly name: string;
  readonly text: string;
  /** The verb and the first table of the statement, for the name of a span. */
  readonly summary: string;
  readonly _row?: Row;
};

export function sql<Row = Record<string, never>>(text: string): Statement<Row> {
  const verb = /\b(select|insert|update|delete)\b/i.exec(text)?.[1]?.toLowerCase() ?? 'sql';
  const table = /\b(?:from|into|update)\s+([a-z_][\w.]*)/i.exec(text)?.[1] ?? '';
  return { name: hash('sha1', text, 'base64url'), text, summary: `${verb} ${table}`.trim() };
}

// date, time and timestamp stay text; timestamptz becomes a Date (by default) and bigint a bigint.
const parsers = new Map<number, (text: string) => unknown>([
  [1082, (text) => text],
  [1083, (text) => text],
  [1114, (text) => text],
  [20, BigInt],
]);
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => (parsers.get(oid) ?? pg.types.getTypeParser(oid, format ?? 'text')) as never,
};

/** The pool of the system role has half as many connections as that of the request role. */
export const systemConnections = (max: number) => Math.ceil(max / 2);

/**
 * `max`: connections of the request role. `connectMs`: how long a statement waits for a connection; default 3 s. `statementSeconds`: the time limit
 * of a statement; default 10.
 */
type DbOptions = { schema: string; max: number; log: Log; connectMs?: number; statementSeconds?: number };

export function openDb(urls: DatabaseUrls, options: DbOptions): Db {
  const { schema, max } = options;
  const { host, port } = new pg.Client(urls.DATABASE_URL);
  const outage = watchOutage(options.log, 'PostgreSQL', `${host}:${port}`);
  const pool = openPool(urls.DATABASE_URL, outage, options);
  const systemPool = openPool(urls.DATABASE_SYSTEM_URL, outage, { ...options, max: systemConnections(max) });
  return { pool, systemPool, schema, host, port, outage, onWritten: new Map() };
}

export async function closeDb({ pool, systemPool }: Db): Promise<void> {
  await Promise.all([pool.end(), systemPool.end()]);
}

function openPool(url: string, outage: Outage, options: DbOptions): SparingPool {
  const { statementSeconds = 10 } = options;
  const pool = new SparingPool({
    connectionString: url,
    max: options.max,
    types,
    pipeline: true,
    connectionTimeoutMillis: options.connectMs ?? 3_000,
    // For a server that has vanished behind a pooler that still responds. watchSilence() notices other unresponsive servers much earlier.
    query_timeout: statementSeconds * 1_000 + 2_000,
    idleTimeoutMillis: 300_000, // a new connection plans every statement again
    options: `-c search_path=${options.schema} -c statement_timeout=${statementSeconds}s -c idle_in_transaction_session_timeout=15s -c timezone=UTC`,
    application_name: `clinic-${options.schema}`,
  } as ConstructorParameters<typeof SparingPool>[0]);
  // When a connection in use breaks, its statement fails. The error event still needs a listener, because without one the process would end.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', outage.failed); // an idle connection was lost
  watchPool(options.schema, pool, pool.most);
  watchSilence(pool, new pg.Client(url));
  return pool;
}

/** Runs `work` in a transaction that sees only this clinic. Commits when it returns, rolls back when it throws. */
export function inTenant<T>(db: Db, clinicId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> {
  return transact(db, db.pool, [BEGIN, toScope(clinicId)], (client) => ({ client, clinicId, last: [], wrote: new Set() }) as unknown as TenantTx, work);
}

/** Runs `work` in a transaction that sees all clinics: for sign-in, projections, relays, clean-up. Each call has a comment that says why. */
export function asSystem<T>(db: Db, work: (tx: SystemTx) => Promise<T>): Promise<T> {
  return transact(db, db.systemPool, [BEGIN], (client) => ({ client, last: [], wrote: new Set() }) as unknown as SystemTx, work);
}

/** Reads rows of one clinic in a single round trip. */
export async function readTenant<Row extends object>(db: Db, clinicId: string, statement: Statement<Row>, values: unknown[]): Promise<Row[]> {
  return readOnce(db, db.pool, [toScope(clinicId)], statement, values);
}

/** Reads rows of all clinics in a single round trip. */
export async function readSystem<Row extends object>(db: Db, statement: Statement<Row>, values: unknown[]): Promise<Row[]> {
  return readOnce(db, db.systemPool, [], statement, values);
}

export async function rows<Row extends object>(tx: Tx, statement: Statement<Row>, values: unknown[] = []): Promise<Row[]> {
  return (await send<Row>(tx, statement, values)).rows;
}

export async function row<Row extends object>(tx: Tx, statement: Statement<Row>, values: unknown[] = []): Promise<Row | undefined> {
  return (await rows(tx, statement, values))[0];
}

/** For a statement that always returns a row. Throws when it returns none. */
export async function getRow<Row extends object>(tx: Tx, statement: Statement<Row>, values: unknown[] = []): Promise<Row> {
  const found = await row(tx, statement, values);
  if (!found) throw new Error(`a statement returned no row: ${statement.summary}`);
  return found;
}

/** Returns the number of rows that the statement changed. */
export async function execute(tx: Tx, statement: Statement<object>, values: unknown[] = []): Promise<number> {
  return (await send(tx, statement, values)).rowCount ?? 0;
}

/**
 * Sends the statement together with the commit, which saves a round trip and shortens the time for which its locks are held. For rows that nothing
 * in the transaction reads: events, entries of the audit log, stored responses. When the statement fails, so does the transaction.
 */
export function executeLast(tx: Tx, statement: Statement<object>, values: unknown[]): void {
  tx.last.push([statement, values]);
}

/** Runs a statement of a library that writes its own SQL; all other code uses the functions above. */
export async function queryIn<Row extends object>(tx: Tx, query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
  refuseEnded(tx);
  sendTurn(tx.client);
  return tx.client.query<Row>(query);
}

function refuseEnded(tx: Tx): void {
  if (tx.ended) throw new Error('the transaction has ended');
}

const SQL_ATTRIBUTES = { 'db.system.name': 'postgresql' };

function send<Row extends object>(tx: Tx, { name, text, summary }: Statement<Row>, values: unknown[]): Promise<pg.QueryResult<Row>> {
  return inSpan(summary, SpanKind.CLIENT, SQL_ATTRIBUTES, async () => {
    refuseEnded(tx);
    return executeInTurn<Row>(tx.client, { name, text, values }).catch((error) => {
      tx.failure ??= error;
      throw error;
    });
  });
}

const BEGIN: Prepared = { name: 'begin', text: 'begin', values: [] };
const COMMIT: Prepared = { name: 'commit', text: 'commit', values: [] };
/** Stores the active span in rows that are processed later: this setting is the default of their column `trace`. */
const toTrace = (traceparent: string) => ({ name: 'set-trace', text: `select set_config('app.trace', $1, true)`, values: [traceparent] });

function toScope(clinicId: string): Prepared {
  if (!isUuid(clinicId)) throw new Error('a tenant transaction needs the UUID of a clinic');
  return { name: 'set-tenant', text: `select set_config('app.clinic_id', $1, true)`, values: [clinicId] };
}

const ABORTED = '25P02'; // in_failed_sql_transaction

const connect = ({ host, port }: Db, pool: pg.Pool): Promise<pg.PoolClient> => pool.connect().catch((error) => rethrowUnreachable(error, host, port));

/** Calls `use` with a connection, and reports its success or failure to the outage of the database. */
async function connected<T>(db: Db, pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  try {
    const result = await use(await connect(db, pool));
    db.outage.succeeded();
    return result;
  } catch (error) {
    noteOutage(db, error);
    throw error;
  }
}

/** Reports an error of the database when it means that the database is unavailable. */
export function noteOutage({ outage }: Db, error: unknown): void {
  if (!(error instanceof ServiceError) && toServiceError(error, {}).reason === 'UNAVAILABLE') outage.failed(error);
}

/** Commits, in one packet with the statements of executeLast(). */
export async function commit(tx: Tx): Promise<void> {
  const last = tx.last.map(([statement, values]) => send(tx, statement, values));
  tx.ended = true;
  const [{ command }] = await Promise.all([executeInTurn(tx.client, COMMIT), ...last]);
  // PostgreSQL rolls back instead when a statement has failed and the error was caught.
  if (command === 'ROLLBACK') throw tx.failure ?? new Error('the transaction was rolled back, since one of its statements failed');
}

/** Runs `work` between begin and commit, or rollback if it throws. `begin` is pipelined with the first statement, which saves a round trip. */
function transact<X extends Tx, T>(db: Db, pool: pg.Pool, begin: Prepared[], open: (client: pg.PoolClient) => X, work: (tx: X) => Promise<T>): Promise<T> {
  return connected(db, pool, async (client) => {
    const tx = open(client);
    let broken: Error | undefined;
    try {
      const traceparent = currentTraceparent();
      const first = traceparent === undefined ? begin : [...begin, toTrace(traceparent)];
      const begun = first.map((statement) => executeInTurn(client, statement));
      const [result] = await Promise.all([work(tx), ...begun]);
      await commit(tx);
      return result;
    } catch (error) {
      tx.ended = true; // concurrent parts of the work may still be running
      sendTurn(client);
      await client.query('rollback').catch((failed: Error) => {
        broken = failed;
      });
      throw (error as { code?: string }).code === ABORTED ? (tx.failure ?? error) : error;
    } finally {
      client.release(broken);
      for (const kind of tx.wrote) db.onWritten.get(kind)?.();
    }
  });
}

/** Whether PostgreSQL reported that a statement failed: the connection is intact, and nothing of the transaction is stored. */
export const isStatementError = (error: unknown): boolean => (error as Partial<pg.DatabaseError>).severity === 'ERROR';

function readOnce<Row extends object>(db: Db, pool: pg.Pool, first: Prepared[], { name, text, summary }: Statement<Row>, values: unknown[]): Promise<Row[]> {
  return inSpan(summary, SpanKind.CLIENT, SQL_ATTRIBUTES, () =>
    connected(db, pool, async (client) => {
      let broken: Error | undefined;
      try {
        return (await executeAll<Row>(client, first, { name, text, values })).rows;
      } catch (error) {
        // Unless the statement itself failed, the state of the connection is unknown, so the pool closes it.
        if (!isStatementError(error)) broken = error as Error;
        throw error;
      } finally {
        client.release(broken);
      }
    }),
  );
}
