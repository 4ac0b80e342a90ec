// One statement that must see one clinic, or run as another role, in one round trip and one transaction: the setting and
// the statement go out behind each other and only then a Sync, which makes both one implicit transaction. Against begin,
// set local, statement, commit this saves PostgreSQL three commands and Node their answers
// (docs/decisions/row-level-security.md). pg has no door for it, so this leans on how pg.Query is built: prepare() writes the
// messages, and the first answer that comes back is the setting's.
import pg from 'pg';

/** What is set for the one transaction: the tenant, or the role. */
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
interface Built extends pg.Query {
  callback: (error: Error | null, result: pg.QueryResult) => void;
  prepare(connection: Connection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
}
const Query = pg.Query as unknown as new (config: Prepared) => Built;

class ScopedRead extends Query {
  readonly #scope: Scope;
  #inside = false;

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
    if (this.#inside) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.#inside) super.handleCommandComplete(message, connection);
    this.#inside = true;
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
