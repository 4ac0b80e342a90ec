// Sends several statements in one packet, with one Sync: PostgreSQL responds to all of them in one packet too, while pg itself sends a Sync for each.
// Outside a transaction, PostgreSQL runs them in an implicit one. The columns of a statement are described only at its first execution on a
// connection. pg has no API for this, so the class overrides private methods of pg.Query. For the savings see docs/decisions/pg-internals.md.
import type { Writable } from 'node:stream';
import pg from 'pg';
import utils from 'pg/lib/utils.js';
import { serialize } from 'pg-protocol';

/** `name`: each connection prepares the statement once under this name. */
export type Prepared = { name: string; text: string; values: unknown[] };

type Connection = { stream: Writable };

/** What pg derives from the description of the columns. */
type Shape = { fields: unknown[]; _parsers: unknown; _prebuiltEmptyResultObject: unknown };
const WITHOUT_COLUMNS: Shape = { fields: [], _parsers: undefined, _prebuiltEmptyResultObject: null };
type Result = pg.QueryResult &
  Shape & {
    addFields(fields: unknown): void;
    parseRow(values: unknown): object;
    addRow(row: object): void;
    addCommandComplete(message: unknown): void;
  };
const Result = pg.Result as unknown as new (rowMode: undefined, types: unknown) => Result;

interface PrivateQuery extends Omit<pg.Query, 'submit'> {
  callback: ((error: Error | null) => void) | undefined;
  _result: { _types: unknown };
}
const Query = pg.Query as unknown as new (text: string, values: unknown[]) => PrivateQuery;

/** The names of the statements that were sent to be prepared, and the shapes of those that were described. */
type Known = { prepared: Set<string>; shapes: Map<string, Shape> };
const connections = new WeakMap<Connection, Known>();

function knownOf(connection: Connection): Known {
  const known = connections.get(connection) ?? { prepared: new Set(), shapes: new Map() };
  connections.set(connection, known);
  return known;
}

type Done = (error: Error | null, result?: pg.QueryResult) => void;
type Pending = Prepared & { done: Done; result?: Result; isNew?: boolean; fault?: Error };

export class Batch extends Query {
  readonly statements: Pending[] = [];
  /** The index of the statement whose response is awaited. */
  #current = 0;
  #shapes: Known['shapes'] | undefined;

  constructor() {
    super('', []);
  }

  add({ name, text, values }: Prepared, done: Done): void {
    this.statements.push({ name, text, values, done });
  }

  submit(connection: Connection): Error | null {
    const known = knownOf(connection);
    this.#shapes = known.shapes;
    try {
      const messages = this.statements.flatMap((statement) => this.#messagesOf(statement, known));
      connection.stream.write(Buffer.concat([...messages, serialize.sync()]));
      return null;
    } catch (error) {
      connection.stream.destroy(error as Error); // a value cannot be sent: later statements must not run without those of this batch
      return error as Error;
    }
  }

  #messagesOf(statement: Pending, { prepared, shapes }: Known): Buffer[] {
    const { name, text, values } = statement;
    statement.isNew = !prepared.has(name);
    prepared.add(name);
    const shape = shapes.get(name);
    statement.result = Object.assign(new Result(undefined, this._result._types), shape);
    return [
      ...(statement.isNew ? [serialize.parse({ name, text })] : []),
      serialize.bind({ statement: name, values, valueMapper: utils.prepareValue }),
      ...(shape ? [] : [serialize.describe({ type: 'P' })]),
      serialize.execute(),
    ];
  }

  handleRowDescription({ fields }: { fields: unknown }): void {
    const statement = this.statements[this.#current];
    if (!statement?.result) return;
    const { name, result } = statement;
    result.addFields(fields);
    this.#shapes?.set(name, { fields: result.fields, _parsers: result._parsers, _prebuiltEmptyResultObject: result._prebuiltEmptyResultObject });
  }

  handleDataRow({ fields }: { fields: unknown }): void {
    const statement = this.statements[this.#current];
    if (!statement?.result) return;
    try {
      statement.result.addRow(statement.result.parseRow(fields));
    } catch (error) {
      statement.fault = error as Error;
    }
  }

  handleCommandComplete(message: unknown): void {
    const statement = this.statements[this.#current++];
    if (!statement) return;
    if (this.#shapes?.has(statement.name) === false) this.#shapes.set(statement.name, WITHOUT_COLUMNS);
    statement.result?.addCommandComplete(message);
    statement.done(statement.fault ?? null, statement.result);
  }

  /** PostgreSQL skips the statements after the one that failed. */
  handleError(error: Error, connection: Connection): void {
    for (const { name, isNew, done } of this.statements.slice(this.#current)) {
      if (isNew) unprepare(connection, name);
      done(error);
    }
    this.callback?.(error); // ends the query_timeout of pg
  }

  handleReadyForQuery(): void {
    this.callback?.(null);
  }
}

/**
 * PostgreSQL does not prepare the statements after one that failed, but PgBouncer counts them as prepared, and would close the connection at their
 * next use. So the statement is closed in PgBouncer and in PostgreSQL. Closing a statement that does not exist is not an error.
 */
function unprepare(connection: Connection, name: string): void {
  knownOf(connection).prepared.delete(name);
  connection.stream.write(serialize.close({ type: 'S', name }));
}

const send = (client: pg.PoolClient, batch: Batch) => void client.query(batch as unknown as pg.Query);
const ignore = () => {};

/** Executes the statements in one implicit transaction. Returns the result of the last one. */
export function executeAll<Row extends object>(client: pg.PoolClient, first: Prepared[], last: Prepared): Promise<pg.QueryResult<Row>> {
  const batch = new Batch();
  for (const statement of first) batch.add(statement, ignore);
  const executed = execute<Row>(batch, last);
  send(client, batch);
  return executed;
}

const batches = new WeakMap<pg.PoolClient, Batch>();

/** Executes a statement of a transaction, in one batch with the others of this turn of the event loop. Those after one that fails fail with its error. */
export function executeInTurn<Row extends object>(client: pg.PoolClient, statement: Prepared): Promise<pg.QueryResult<Row>> {
  let batch = batches.get(client);
  if (!batch) {
    batch = new Batch();
    batches.set(client, batch);
    process.nextTick(sendTurn, client);
  }
  return execute(batch, statement);
}

/** Sends the batch of this turn now, so that what follows on the connection comes after it. */
export function sendTurn(client: pg.PoolClient): void {
  const batch = batches.get(client);
  batches.delete(client);
  if (batch) send(client, batch);
}

async function execute<Row extends object>(batch: Batch, statement: Prepared): Promise<pg.QueryResult<Row>> {
  try {
    return await new Promise((resolve, reject) => {
      batch.add(statement, (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult<Row>)));
    });
  } catch (error) {
    if (!traced.has(error as Error)) Error.captureStackTrace(error as Error); // the stack of the caller, instead of that of the socket handler
    traced.add(error as Error);
    throw error;
  }
}

/** Errors with the stack of the statement that failed, which is not replaced by those of the skipped ones. */
const traced = new WeakSet<Error>();
