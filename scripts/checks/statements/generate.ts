// Writes a copy of the code in which each statement has PostgreSQL's description as types. The compiler then reports columns that the row type lacks
// or that the statement does not return, different types, and a different number of parameters.
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Described } from './describe.ts';

const COLUMN: Record<number, string> = {
  16: 'boolean',
  17: 'Buffer',
  20: 'bigint',
  21: 'number',
  23: 'number',
  700: 'number',
  701: 'number',
  1184: 'Date | number', // infinity is a number
  1114: 'string',
  114: 'any',
  3802: 'any',
  1000: 'boolean[]',
  1001: 'Buffer[]',
  1005: 'number[]',
  1007: 'number[]',
  1016: 'bigint[]',
  1022: 'number[]',
  1185: 'Date[]',
};
const VOID = 2278;
const TEXT_ARRAYS = new Set([1009, 1015, 2951, 1182, 1183, 1231]);
const columnType = (oid: number) => COLUMN[oid] ?? (TEXT_ARRAYS.has(oid) ? 'string[]' : 'string');

const PARAMETER: Record<number, string> = { 16: 'boolean', 17: 'Uint8Array', 1184: 'Date | string', 114: 'unknown', 3802: 'unknown' };
const NUMBERS = new Set([20, 21, 23, 700, 701, 1700]);
const ARRAYS = new Set([...TEXT_ARRAYS, 199, 1000, 1001, 1005, 1007, 1016, 1021, 1022, 1185, 3807]);
function parameterType(oid: number): string {
  const type = PARAMETER[oid] ?? (NUMBERS.has(oid) ? 'number | bigint | string' : ARRAYS.has(oid) ? 'readonly unknown[]' : 'string');
  return `${type} | null | undefined`;
}

const SIGNATURES: [RegExp, string][] = [
  [
    /export type Statement<Row> = \{/,
    `type Differences<Row, Found> = string extends keyof Row ? keyof Found : Exclude<keyof Row, keyof Found> | Exclude<keyof Found, keyof Row>
  | { [K in keyof Row & keyof Found]: NonNullable<Row[K]> extends Found[K] ? never : K }[keyof Row & keyof Found];
type Checked<Row, Found> = 0 extends 1 & Found ? string : [Differences<Row, Found>] extends [never] ? string : { differs: Differences<Row, Found> };
/** Lists of unknown length, which are created elsewhere, are not compared. */
type Fits<Given extends readonly unknown[], Values extends readonly unknown[]> = number extends Given['length'] ? unknown : Given extends Values ? unknown : { differs: Values };
export type Statement<Row, Values extends readonly unknown[] = any> = { readonly _values?: (values: Values) => void;`,
  ],
  [
    /export function sql<Row = Record<string, never>>\(text: string\): Statement<Row> \{/,
    'export function sql<Row = Record<string, never>, Found = any, Values extends readonly unknown[] = any>(text: Checked<Row, Found>): Statement<Row, Values> {',
  ],
  [
    /(export async function (?:readTenant|readSystem))<Row extends object>\((.*?)statement: Statement<Row>, values: unknown\[\]\)/g,
    '$1<Row extends object, V extends readonly unknown[], const Given extends readonly unknown[]>($2statement: Statement<Row, V>, values: Given & Fits<Given, V>)',
  ],
  [
    /(export async function (?:rows|row))<Row extends object>\(tx: Tx, statement: Statement<Row>, values: unknown\[\] = \[\]\)/g,
    '$1<Row extends object, V extends readonly unknown[], const Given extends readonly unknown[] = []>(tx: Tx, statement: Statement<Row, V>, ...[values]: [] extends V ? [values?: Given & Fits<Given, V>] : [values: Given & Fits<Given, V>])',
  ],
  [
    /export async function execute\(tx: Tx, statement: Statement<object>, values: unknown\[\] = \[\]\)/,
    'export async function execute<V extends readonly unknown[], const Given extends readonly unknown[] = []>(tx: Tx, statement: Statement<object, V>, ...[values]: [] extends V ? [values?: Given & Fits<Given, V>] : [values: Given & Fits<Given, V>])',
  ],
];

/** Writes the copy below `into`, which must be inside the project so that packages are found. */
export function generate(project: string, into: string, described: Described[]): void {
  for (const file of globSync('{lib,services}/**/*.{ts,json}', { cwd: project, exclude: (name) => /node_modules/.test(String(name)) })) {
    if (file.endsWith('.test.ts')) continue;
    mkdirSync(path.dirname(path.join(into, file)), { recursive: true });
    cpSync(path.join(project, file), path.join(into, file));
  }
  for (const [file, statements] of Map.groupBy(described, (statement) => statement.file)) annotateFile(project, into, file, statements);
  const db = path.join(into, 'lib/db/db.ts');
  let source = readFileSync(db, 'utf8');
  for (const [pattern, replacement] of SIGNATURES) {
    if (!source.match(pattern)) throw new Error(`lib/db/db.ts no longer contains ${pattern}`);
    source = source.replace(pattern, replacement);
  }
  writeFileSync(db, `// @ts-nocheck\n${source}`);
  const paths = Object.fromEntries(
    [['lib', 'lib'], ...globSync('services/*', { cwd: project }).map((folder) => [path.basename(folder), folder])].map(([name, folder]) => [
      `@clinic/${name}/*`,
      [`./${folder}/*`],
    ]),
  );
  const compilerOptions = { paths, noUnusedLocals: false };
  writeFileSync(path.join(into, 'tsconfig.json'), JSON.stringify({ extends: path.join(project, 'tsconfig.base.json'), compilerOptions, include: ['.'] }));
}

/** Writes a file of the project, with the types of its statements, into the copy; `as` is its path there. */
export function annotateFile(project: string, into: string, file: string, statements: Described[], as = file): void {
  let source = readFileSync(path.join(project, file), 'utf8');
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  // From the last to the first, so that positions remain valid. Several statements in one place are created by a function, and are left out.
  const byPlace = Map.groupBy(statements, ({ line, column }) => (starts[line - 1] ?? 0) + column - 1);
  for (const [place, [statement, ...others]] of [...byPlace].toSorted(([a], [b]) => b - a)) {
    if (statement && others.length === 0) source = source.slice(0, place) + annotate(source.slice(place), statement);
  }
  writeFileSync(path.join(into, as), source);
}

/** Adds the types to a call of sql(), with which `source` begins. */
function annotate(source: string, { columns, parameters }: Described): string {
  if (!/^sql[<(]/.test(source)) throw new Error(`no sql() at ${source.slice(0, 60)}`);
  const found = `{ ${columns
    .filter(({ type }) => type !== VOID)
    .map(({ name, type }) => `${JSON.stringify(name)}: ${columnType(type)}`)
    .join('; ')} }`;
  const values = `readonly [${parameters.map(parameterType).join(', ')}]`;
  if (source[3] === '(') return `sql<Record<string, never>, ${found}, ${values}>${source.slice(3)}`;
  const end = endOfTypes(source);
  return `${source.slice(0, end)}, ${found}, ${values}${source.slice(end)}`;
}

/** The index of the `>` that ends the type arguments after `sql`. */
function endOfTypes(source: string): number {
  let depth = 0;
  for (let index = 3; index < source.length; index++) {
    if (source[index] === '<') depth++;
    else if (source[index] === '>' && source[index - 1] !== '=' && --depth === 0) return index;
  }
  throw new Error(`type arguments without an end: ${source.slice(0, 60)}`);
}
