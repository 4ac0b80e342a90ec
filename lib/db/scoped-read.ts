// Reads with one statement as one clinic, in one round trip: the messages that set the tenant and those of the statement are
// sent with a single Sync, so PostgreSQL runs both in one implicit transaction. Compared with begin, set local, statement and commit this
// saves three commands. pg has no API for it, so this class overrides private methods of pg.Query: prepare() writes the messages, and the
// first result that arrives belongs to the setting. docs/decisions/pg-internals.md says what it saves.
import pg from 'pg';

const SCOPE = { name: 'scope-tenant', text: `select set_config('app.clinic_id', $1, true)` };

type Prepared = { name: string; text: string; values: unknown[] };
type Connection = {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  parse(message: { name: string; text: string; types: unknown[] }): void;
  bind(message: { portal: string; statement: string; values: unknown[]; binary: boolean; valueMapper: (value: unknown) => unknown }): void;
  execute(message: { portal: string; rows: number }): void;
};
interface PrivateQuery extends pg.Query {
  callback: (error: Error | null, result: pg.QueryResult) => void;
  prepare(connection: Connection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
}
const Query = pg.Query as unknown as new (config: Prepared) => PrivateQuery;

class ScopedRead extends Query {
  readonly #clinicId: string;
  #scopeIsSet = false;

  constructor(clinicId: string, prepared: Prepared) {
    super(prepared);
    this.#clinicId = clinicId;
  }

  override prepare(connection: Connection): void {
    const { name, text } = SCOPE;
    if (!connection.submittedNamedStatements[name]) {
      connection.parse({ name, text, types: [] });
      connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ portal: '', statement: name, values: [this.#clinicId], binary: false, valueMapper: (given) => given });
    connection.execute({ portal: '', rows: 0 });
    super.prepare(connection);
  }

  override handleDataRow(message: unknown): void {
    if (this.#scopeIsSet) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.#scopeIsSet) super.handleCommandComplete(message, connection);
    this.#scopeIsSet = true;
  }
}

/** The rows of one statement, read as this clinic. */
export function scopedRead<Row extends object>(client: pg.ClientBase, clinicId: string, prepared: Prepared): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const query = new ScopedRead(clinicId, prepared);
    query.callback = (error, result) => (error ? reject(error) : resolve(result.rows as Row[]));
    client.query(query);
  });
}
