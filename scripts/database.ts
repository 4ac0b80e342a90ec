// Connections to PostgreSQL as the role of a URL.
import pg from 'pg';

export async function connect(connectionString: string, config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, ...config });
  client.on('error', () => {}); // the query in progress reports it
  await client.connect().catch((error: NodeJS.ErrnoException) => {
    if (isUnreachable(error))
      error.message = `PostgreSQL at ${client.host}:${client.port} cannot be reached (${error.message || error.code}): check the address in its URL, that it runs, and that the network allows the connection`;
    throw error;
  });
  return client;
}

/** Whether the server did not answer. Otherwise it did, for example with the name of a database that does not exist. */
const isUnreachable = (error: Error) => !(error instanceof pg.DatabaseError) && ('code' in error || error.message === 'timeout expired');

/** Runs the work with a connection that is closed afterwards. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>, config: pg.ClientConfig = {}): Promise<T> {
  const client = await connect(url, config);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Takes a lock with this name in the database until the connection ends. Returns false when another connection has it. */
export async function tryLock(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as locked', [name]);
  return rows[0]?.locked === true;
}

/** Executes one statement on its own connection and returns the rows. */
export const query = <Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = [], config: pg.ClientConfig = {}): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query<Row>(text, values)).rows, config);
