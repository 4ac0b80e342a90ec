// Reads with one statement as one clinic, in one round trip: the messages that set the tenant and those of the statement are sent with a single
// Sync, so PostgreSQL runs both in one implicit transaction. This saves the commands begin, set local and commit. pg has no API for it, so this
// class overrides private methods of pg.Query: prepare() writes the messages, and the first result that arrives belongs to the setting. For the
// savings see docs/decisions/pg-internals.md.
import { type Connection, type Prepared, PreparedQuery } from './prepared-query.ts';

const SCOPE = { name: 'scope-tenant', text: `select set_config('app.clinic_id', $1, true)` };

export class ScopedRead extends PreparedQuery {
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
