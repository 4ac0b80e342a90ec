// While a release is rolled out, the code of the previous release runs on the new schema, and the tables are in use. So a migration may only
// expand: it must not remove anything that old code needs, or hold a lock while a large table is read.
import path from 'node:path';
import type { Fault, Source } from './source.ts';
import { type SqlStatement, sqlStatements } from './sql.ts';

/** The newest migration of each folder in the first release. Older migrations are never part of an upgrade. */
export type Baseline = Record<string, number>;

type Kind = 'breaks' | 'locks';
type Found = { kind: Kind; table: string; advice: string };
type Rule = { kind: Kind; pattern: RegExp; advice: string };

const ALTER = /^alter table (?:if exists )?(?:only )?([\w."]+) (.*)$/;

/** Rules for one action of `alter table` on an existing table. */
const ACTIONS: Rule[] = [
  { kind: 'breaks', pattern: /^drop column/, advice: 'old code reads the column: stop using it in one release, drop it in the next' },
  { kind: 'breaks', pattern: /^rename/, advice: 'old code knows the old name: add the new one, write both, drop the old one a release later' },
  {
    kind: 'breaks',
    pattern: /^alter (column )?\S+ (set data )?type\b/,
    advice: 'a new type rewrites the table, and old code does not expect it: add a column of the new type and fill it',
  },
  {
    kind: 'breaks',
    pattern: /^alter (column )?\S+ set not null/,
    advice: 'old code may leave it empty, and the whole table is read: add a check (… is not null) not valid, and validate it a release later',
  },
  { kind: 'breaks', pattern: /^alter (column )?\S+ drop default/, advice: 'old code may rely on the default: drop it a release later' },
  {
    kind: 'breaks',
    pattern: /^add (?!constraint|check|foreign|unique|primary|exclude)(column )?(?!.*\bdefault\b)(?!.*\bgenerated\b).*\bnot null\b/,
    advice: 'old code does not fill it: give it a default, or allow null for one release',
  },
  {
    kind: 'locks',
    pattern: /^add (constraint \S+ )?(check|foreign key)\b(?!.*\bnot valid\b)/,
    advice: 'every row is checked under a lock: add it not valid, and validate it in a later migration',
  },
  {
    kind: 'locks',
    pattern: /^add (constraint \S+ )?(unique|primary key|exclude)\b(?!.* using index )/,
    advice: 'the index is built under a lock: create it concurrently, and add the constraint using index',
  },
  {
    kind: 'locks',
    pattern: /^add (column )?(?!constraint).*\bdefault [^,]*(gen_random_uuid|uuidv7|random|clock_timestamp|nextval)\b/,
    advice: 'a default that differs from row to row rewrites the table: add the column without it, and fill it in batches',
  },
  {
    kind: 'locks',
    pattern: /^add (column )?\S+ (serial|bigserial)\b|\bgenerated always as\b/,
    advice: 'the table is rewritten: fill a plain column in batches',
  },
  { kind: 'locks', pattern: /^set (logged|unlogged|tablespace)/, advice: 'the table is rewritten' },
];

/** Rules for whole statements. The first group is the table. */
const STATEMENTS: Rule[] = [
  {
    kind: 'breaks',
    pattern: /^drop (?:table|view|materialized view) (?:if exists )?([\w."]+)/,
    advice: 'old code reads it: stop using it in one release, drop it in the next',
  },
  {
    kind: 'breaks',
    pattern: /^drop (?:function|procedure|type|domain|sequence|schema) (?:if exists )?([\w."]+)/,
    advice: 'old code may use it: drop it a release later',
  },
  { kind: 'breaks', pattern: /^revoke .* on (?:table )?([\w."]+)/, advice: 'old code may need the right: revoke it a release later' },
  {
    kind: 'locks',
    pattern: /^create (?:unique )?index (?!concurrently)(?:if not exists )?(?:[\w"]+ )?on (?:only )?([\w."]+)/,
    advice: 'it blocks writes while it is built: create the index concurrently, in a separate file with the line "-- outside a transaction"',
  },
  {
    kind: 'locks',
    pattern: /^(?:reindex|cluster|vacuum full|truncate|lock)\b(?!.*concurrently)(?: table)? ?([\w."]*)/,
    advice: 'it blocks all use of the table',
  },
  { kind: 'locks', pattern: /^update (?:only )?([\w."]+)/, advice: 'rows stay locked until all are updated: fill them in batches, in a job' },
  { kind: 'locks', pattern: /^delete from (?:only )?([\w."]+)/, advice: 'rows stay locked until all are deleted: delete them in batches, in a job' },
];

/** The faults of migrations newer than the baseline that would break or block the previous release. `version` is that of package.json. */
export function unsafeMigrations(sources: Source[], baseline: Baseline, version: string): Fault[] {
  return sources
    .filter(({ file }) => /\/migrations\/\d{4}_[^/]+\.sql$/.test(file))
    .filter(({ file }) => Number.parseInt(path.posix.basename(file), 10) > (baseline[path.posix.dirname(path.posix.dirname(file))] ?? 0))
    .flatMap((source) => faultsOf(source, version));
}

function faultsOf({ file, text }: Source, version: string): Fault[] {
  const statements = sqlStatements(text);
  const own = new Set(statements.flatMap(({ text }) => /^create (?:unlogged )?table (?:if not exists )?([\w."]+)/.exec(text)?.[1] ?? []));
  const excuse = excuses(text, version);
  const faults = statements.flatMap((statement) =>
    judge(statement)
      .filter(({ table, kind }) => !own.has(table) && !excuse.covers(kind, table))
      .map(({ advice, table }) => `${file}:${statement.line}: ${table || 'this'}: ${advice}`),
  );
  return [...excuse.faults.map((fault) => `${file}: ${fault}`), ...validatedAtOnce(file, statements), ...faults];
}

function judge({ text, body }: SqlStatement): Found[] {
  const [, table = '', rest = ''] = ALTER.exec(text) ?? [];
  const byAction = actionsOf(rest).flatMap((action) =>
    ACTIONS.filter(({ pattern }) => pattern.test(action)).map(({ kind, advice }) => ({ kind, table, advice })),
  );
  const whole = STATEMENTS.flatMap(({ kind, pattern, advice }) => {
    const match = pattern.exec(text);
    return match ? [{ kind, table: match[1] ?? '', advice }] : [];
  });
  // Statements that a block composes while it runs cannot be checked.
  const isBlock = /^do\b/.test(text);
  // A revoke needs a block, because the name of the role depends on the schema. It must name its tables.
  const revokes = isBlock ? [...body.matchAll(/\brevoke\s([\w\s,]*?\son\s+([\w\s,]+?)\s+from\b)?/gi)] : [];
  const revoked = revokes.flatMap(([, , tables = '']) => tables.split(/\s*,\s*/));
  const hides = isBlock && /\b(drop|rename|alter\s+table|create\s+(unique\s+)?index)\b/i.test(body);
  return [
    ...byAction,
    ...whole,
    ...(hides ? [''] : revoked).map((table) => ({ kind: 'breaks' as const, table, advice: 'a block hides what it changes: write it as plain statements' })),
  ];
}

/** The actions of one `alter table`, separated by the commas outside parentheses. */
function actionsOf(rest: string): string[] {
  const actions: string[] = [];
  let [depth, from] = [0, 0];
  for (const [at, sign] of [...rest].entries()) {
    if (sign === '(') depth++;
    if (sign === ')') depth--;
    if (sign === ',' && depth === 0) {
      actions.push(rest.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...actions, rest.slice(from).trim()].filter(Boolean);
}

/** Faults of constraints that are added and validated in one transaction, which holds the lock of the addition during the validation. */
function validatedAtOnce(file: string, statements: SqlStatement[]): Fault[] {
  const added = new Set(statements.flatMap(({ text }) => [...text.matchAll(/add constraint (\S+) [^;]*?not valid/g)].map(([, name]) => name)));
  return statements.flatMap(({ text, line }) => {
    const name = /validate constraint (\S+)/.exec(text)?.[1];
    return added.has(name) ? [`${file}:${line}: ${name}: validate it in a later migration than the one that adds it`] : [];
  });
}

/**
 * `-- contract after 1.4.0: <why>` states that no code since that release uses the removed objects. `-- locks <table>: <why>` states that the table
 * is small or that the lock is acceptable.
 */
function excuses(text: string, version: string) {
  const contract = /^-- contract after (\S+): \S/m.exec(text)?.[1];
  const locks = new Set([...text.matchAll(/^-- locks ([\w."]+): \S/gm)].map(([, table]) => table));
  const early = contract !== undefined && !released(contract, version);
  return {
    faults: early ? [`release ${contract} is not out yet (this is ${version}): contract a release later`] : [],
    covers: (kind: Kind, table: string) => (kind === 'breaks' ? contract !== undefined : locks.has(table)),
  };
}

/** Whether the release x.y.z precedes the current version. */
function released(name: string, version: string): boolean {
  const numbers = (text: string) => text.split('.').map(Number);
  const [wanted, now] = [numbers(name), numbers(version)];
  if (wanted.length !== 3 || wanted.some(Number.isNaN)) return false;
  const differs = wanted.findIndex((part, index) => part !== now[index]);
  return differs !== -1 && (wanted[differs] ?? 0) < (now[differs] ?? 0);
}
