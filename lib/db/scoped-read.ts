// Reads with one statement as one clinic or role, in one round trip: the messages that set the tenant or role and those of the statement are
// sent with a single Sync, so PostgreSQL runs both in one implicit transaction. Compared with begin, set local, statement and commit this
// saves three commands. pg has no API for it, so this class overrides private methods of pg.Query: prepare() writes the messages, and the
// first result that arrives belongs to the setting. docs/decisions/pg-internals.md says what it saves.
import pg from 'pg';

/** What to set for the transaction: the tenant or the role. */
export type Scope = { readonly name: string; readonly text: string; readonly value: string };

export const tenantScope = (clinicId: string): Scope => ({ name: 'scope-tenant', text: `select set_config('app.clinic_id', $1, true)`, value: clinicId });
export const roleScope = (role: string): Scope => ({ name: 'scope-role', text: `select set_config('role', $1, true)`, value: role });

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
  readonly #scope: Scope;
  #scopeIsSet = false;

  constructor(scope: Scope, prepared: Prepared) {
    super(prepared);
    this.#scope = scope;
  }

  override prepare(connection: Connection): void {
    const { name, text, value } = this.#scope;
    if (!connection.submittedNamedStatements[name]) {
      connection.parse({ name, text, types: [] });
      connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ portal: '', statement: name, values: [value], binary: false, valueMapper: (given) => given });
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

/** The rows of one statement, read within `scope`. */
export function scopedRead<Row extends object>(client: pg.ClientBase, scope: Scope, prepared: Prepared): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const query = new ScopedRead(scope, prepared);
    query.callback = (error, result) => (error ? reject(error) : resolve(result.rows as Row[]));
    client.query(query);
  });
}
