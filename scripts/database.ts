// Connections to PostgreSQL as the role of a URL.
import { rethrowUnreachable } from '@clinic/lib/db/unreachable.ts';
import pg from 'pg';

export async function connect(connectionString: string, config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, ...config });
  client.on('error', () => {}); // the query in progress reports it
  await client.connect().catch((error) => rethrowUnreachable(error, client.host, client.port));
  return client;
}

/** Runs the work with a connection that is closed afterwards. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>, config: pg.ClientConfig = {}): Promise<T> {
  const client = await connect(url, config);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Settings of a transaction in which COPY reads and writes every row exactly and may take any time. */
export const COPY_SETTINGS = `
  set local row_security = off; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'iso_8601'; set local extra_float_digits = 3`;

/** SQL: the key of the lock that the first parameter names. */
export const LOCK_KEY = 'hashtextextended($1, 0)';

/** Takes a lock with this name in the database until the connection ends. Returns false when another connection has it. */
export async function tryLock(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(`select pg_try_advisory_lock(${LOCK_KEY}) as locked`, [name]);
  return rows[0]?.locked === true;
}

/** Executes one statement on its own connection and returns the rows. */
export const query = <Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = [], config: pg.ClientConfig = {}): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query<Row>(text, values)).rows, config);
