// A named statement whose columns PostgreSQL describes at its first execution on a connection only; `pg` asks for them each time, and derives
// from them how rows are read. pg has no API for it, so this class overrides private methods of pg.Query. docs/decisions/pg-internals.md says
// what it saves.
import pg from 'pg';

export type Prepared = { name: string; text: string; values: unknown[] };

/** The parts of pg's connection that write messages. */
export type Connection = {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  parse(message: { name: string; text: string; types: unknown[] }): void;
  bind(message: { portal: string; statement: string; values: unknown[]; binary: boolean; valueMapper: (value: unknown) => unknown }): void;
  execute(message: { portal: string; rows: number }): void;
};

/** The columns of a statement as PostgreSQL described them, and what pg derives from them. */
type Shape = { fields: unknown; _parsers: unknown; _prebuiltEmptyResultObject: unknown };

interface PrivateQuery extends pg.Query {
  name: string;
  callback: (error: Error | null, result: pg.QueryResult) => void;
  _result: Shape;
  _accumulateRows: boolean;
  hasBeenParsed(connection: Connection): boolean;
  prepare(connection: Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
}
const Query = pg.Query as unknown as new (config: Prepared) => PrivateQuery;

/** `brief` is the connection without `describe`; `shapes` are those of its statements, by name. */
type Known = { brief: Connection; shapes: Map<string, Shape> };
const connections = new WeakMap<Connection, Known>();

function knownOf(connection: Connection): Known {
  const known = connections.get(connection) ?? { brief: Object.create(connection, { describe: { value() {} } }), shapes: new Map() };
  connections.set(connection, known);
  return known;
}

export class PreparedQuery extends Query {
  #shapes: Map<string, Shape> | undefined;

  override prepare(connection: Connection): void {
    const { brief, shapes } = knownOf(connection);
    const shape = this.hasBeenParsed(connection) ? shapes.get(this.name) : undefined;
    if (shape) Object.assign(this._result, shape);
    this._accumulateRows = true;
    this.#shapes = shapes;
    super.prepare(shape ? brief : connection);
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.#shapes?.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}

export async function executePrepared<Row extends object>(client: pg.ClientBase, query: PreparedQuery): Promise<pg.QueryResult<Row>> {
  try {
    return await new Promise((resolve, reject) => {
      query.callback = (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult<Row>));
      client.query(query);
    });
  } catch (error) {
    Error.captureStackTrace(error as Error); // who sent the statement, instead of who read its answer from the socket
    throw error;
  }
}
