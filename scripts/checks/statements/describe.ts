// Prints, as JSON, every statement that the services create when they are loaded: its place in the code, and PostgreSQL's description of its
// parameters and columns. Started by statements.db.test.ts with observe.js, with the owner's URL of a migrated database.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { PROJECT } from '../../schemas.ts';

export type Described = { file: string; line: number; column: number; parameters: number[]; columns: { name: string; type: number }[]; error?: string };

const observed = (globalThis as unknown as { observedStatements: { text: string; stack: string }[] }).observedStatements;

/** Statements in lib are executed in the schema of every service. */
const schemaOf = (file: string) => (file.startsWith('services/') ? (file.split('/')[1] ?? '') : 'messaging');

/** A query that describes a statement without executing it. */
class Describe {
  #found: Pick<Described, 'parameters' | 'columns'> = { parameters: [], columns: [] };
  text: string;
  done = Promise.withResolvers<Pick<Described, 'parameters' | 'columns' | 'error'>>();
  constructor(text: string) {
    this.text = text;
  }
  submit(connection: pg.Connection & NodeJS.EventEmitter & Record<'parse' | 'describe' | 'sync', (message?: object) => void>) {
    connection.once('parameterDescription', ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
      this.#found.parameters = dataTypeIDs;
    });
    connection.parse({ name: '', text: this.text });
    connection.describe({ type: 'S', name: '' });
    connection.sync();
  }
  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
    this.#found.columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
  }
  handleError(error: Error) {
    // The client calls nothing else after an error.
    this.done.resolve({ ...this.#found, error: error.message });
  }
  handleReadyForQuery() {
    this.done.resolve(this.#found);
  }
}

const files = globSync('{lib,services}/**/*.ts', { cwd: PROJECT, exclude: (name) => /node_modules|testing/.test(String(name)) })
  .filter((file) => !file.endsWith('.test.ts') && /\bsql(<|\()/.test(readFileSync(path.join(PROJECT, file), 'utf8')))
  .sort();
for (const file of files) await import(pathToFileURL(path.join(PROJECT, file)).href);

const clients = new Map<string, pg.Client>();
const described: Described[] = [];
for (const { text, stack } of observed) {
  const [, url, line, column] = /(?:\(|at (?:async )?)(file:[^()]+?):(\d+):(\d+)\)?$/.exec(stack.split('\n')[2] ?? '') ?? [];
  if (!url) continue;
  const file = path.relative(PROJECT, fileURLToPath(url));
  const schema = schemaOf(file);
  let client = clients.get(schema);
  if (!client) {
    client = new pg.Client({ connectionString: process.argv[2], options: `-c search_path=${schema}` });
    await client.connect();
    clients.set(schema, client);
  }
  const query = new Describe(text);
  client.query(query as unknown as pg.Submittable);
  described.push({ file, line: Number(line), column: Number(column), ...(await query.done.promise) });
}
for (const client of clients.values()) await client.end();
process.stdout.write(JSON.stringify(described));
