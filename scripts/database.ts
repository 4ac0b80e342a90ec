// Connections to PostgreSQL as whoever a URL names.
import pg from 'pg';

export async function connect(connectionString: string, config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, ...config });
  client.on('error', () => {}); // the query in progress fails
  await client.connect();
  return client;
}

/** The connection ends with the work. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>, config: pg.ClientConfig = {}): Promise<T> {
  const client = await connect(url, config);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The rows of one statement on a connection of its own. */
export const query = <Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = [], config: pg.ClientConfig = {}): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query<Row>(text, values)).rows, config);
