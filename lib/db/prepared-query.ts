// A named statement whose columns PostgreSQL describes only at its first execution on a connection. pg itself requests the description, from which
// it derives the parsers of a row, at each execution, and has no API to reuse it, so this class overrides private methods of pg.Query. For the
// savings see docs/decisions/pg-internals.md.
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
const Query = pg.Query as unknown as new (text: string, values: unknown[]) => PrivateQuery;

/** `brief` is the connection with a `describe` that does nothing; `shapes` are those of its statements, by name. */
type Known = { brief: Connection; shapes: Map<string, Shape> };
const connections = new WeakMap<Connection, Known>();

function knownOf(connection: Connection): Known {
  const known = connections.get(connection) ?? { brief: Object.create(connection, { describe: { value() {} } }), shapes: new Map() };
  connections.set(connection, known);
  return known;
}

export class PreparedQuery extends Query {
  #shapes: Map<string, Shape> | undefined;

  constructor({ name, text, values }: Prepared) {
    super(text, values); // pg copies a config object property by property, which takes 2 µs
    this.name = name;
  }

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
    Error.captureStackTrace(error as Error); // the stack of the caller, instead of that of the socket handler
    throw error;
  }
}
