// Connections to PostgreSQL as whoever a URL names.
import pg from 'pg';

/** Ends with the block that opens it: `await using client = await connect(url)`. */
export async function connect(connectionString: string, config: pg.ClientConfig = {}): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString, ...config });
  client.on('error', () => {}); // the query in progress fails
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** The rows of one statement on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = [], config: pg.ClientConfig = {}): Promise<Row[]> {
  await using client = await connect(url, config);
  return (await client.query<Row>(text, values)).rows;
}
