// Copies the rows of a clinic into a staging schema of the target, and from there into the target's tables.
import { pipeline } from 'node:stream/promises';
import { counted } from '@clinic/lib/formats/counted.ts';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { COPY_SETTINGS } from '../../database.ts';
import { sum } from '../../statistics.ts';
import { FOLLOWS, type MovedTable } from './catalogue.ts';

/** Number of rows and the sum of their hashes, by table. */
export type Contents = Map<string, { rows: number; hash: string }>;

// The role `replica` disables triggers, whose effects are moved as rows, and foreign key checks, which would depend on the order of loading.
const SETTINGS = `${COPY_SETTINGS}; set local session_replication_role = replica`;

export async function begin(client: pg.Client, isolation = 'read committed'): Promise<void> {
  await client.query(`begin isolation level ${isolation}`);
  await client.query(SETTINGS);
}

/** The schema of the target that contains the clinic's rows during the move. It is created in one transaction, so it is complete when it exists. */
const stagingOf = (clinicId: string) => `moving_${clinicId.replaceAll('-', '')}`;

const stagedName = (clinicId: string, { name }: MovedTable) => `${stagingOf(clinicId)}."${name.replaceAll('"', '').replace('.', '__')}"`;
const list = (columns: readonly string[], alias = '') => columns.map((column) => `${alias}"${column}"`).join(', ');

export async function isStaged(target: pg.Client, clinicId: string): Promise<boolean> {
  const { rows } = await target.query<{ exists: boolean }>('select to_regnamespace($1) is not null as exists', [stagingOf(clinicId)]);
  return rows[0]?.exists ?? false;
}

export const dropStaging = (target: pg.Client, clinicId: string) => target.query(`drop schema if exists ${stagingOf(clinicId)} cascade`);

const withoutChanged = ({ columns, changed }: MovedTable) => columns.filter((column) => !changed.includes(column));

async function contentOf(client: pg.Client, name: string, columns: readonly string[], where: string, clinicId: string) {
  const { rows } = await client.query<{ rows: number; hash: string }>(
    `select count(*)::int as rows, coalesce(sum(hashtextextended(row(${list(columns)})::text, 0)::numeric), 0)::text as hash from ${name} where ${where.replaceAll('$1', `'${clinicId}'`)}`,
  );
  return rows[0] as { rows: number; hash: string };
}

export async function contentsOf(client: pg.Client, tables: MovedTable[], clinicId: string, all = true): Promise<Contents> {
  const contents: Contents = new Map();
  for (const table of tables) contents.set(table.name, await contentOf(client, table.name, all ? table.columns : withoutChanged(table), table.where, clinicId));
  return contents;
}

/** Throws when the contents of a table differ. */
function compare(expected: Contents, found: Contents): void {
  for (const [name, { rows, hash }] of expected) {
    const other = found.get(name);
    if (other?.rows !== rows || other.hash !== hash)
      throw new Error(`${name} was not copied completely: ${counted(rows, 'row')} in the source, ${other?.rows} in the target`);
  }
}

/** Copies the rows that the source's transaction sees into the staging schema, in one transaction of the target, and compares them. */
export async function stage(source: pg.Client, target: pg.Client, tables: MovedTable[], clinicId: string): Promise<void> {
  await begin(target);
  await target.query(`create schema ${stagingOf(clinicId)}`);
  const staged = tables.map((table) => ({ ...table, name: stagedName(clinicId, table), where: 'true' }));
  for (const [index, { name, columns, where }] of tables.entries()) {
    const copy = staged[index]?.name ?? '';
    await target.query(`create table ${copy} as select ${list(columns)} from ${name} with no data`);
    await pipeline(
      source.query(copyTo(`copy (select ${list(columns)} from ${name} where ${where.replaceAll('$1', `'${clinicId}'`)}) to stdout`)),
      target.query(copyFrom(`copy ${copy} (${list(columns)}) from stdin`)),
    );
  }
  const [expected, found] = await Promise.all([contentsOf(source, tables, clinicId), contentsOf(target, staged, clinicId)]);
  compare(expected, new Map([...found].map(([, content], index) => [tables[index]?.name ?? '', content])));
  await target.query('commit');
}

/** Loads the staged rows in the caller's transaction, compares, and drops the staging schema. Returns the number of rows. */
export async function load(target: pg.Client, tables: MovedTable[], clinicId: string, readOnly: boolean): Promise<number> {
  const expected: Contents = new Map();
  for (const table of tables) {
    const { name, columns, numbered } = table;
    const staged = stagedName(clinicId, table);
    const inserted = columns.filter((column) => column !== numbered);
    const follows = FOLLOWS[name];
    const values = inserted.map((column) =>
      column === follows?.column ? `f."${column}"` : name.endsWith('."outbox"') && column === 'published_at' ? REPUBLISHED : `s."${column}"`,
    );
    const followed = follows ? ` join ${table.schema}."${follows.table}" f on f.clinic_id = s.clinic_id and f.id = s."${follows.key}"` : '';
    const order = numbered ? ` order by s."${numbered}"` : '';
    // When the clinic was in the target before, consumers there may already have handled an event.
    const known = table.copied ? ' on conflict do nothing' : '';
    await target.query(`insert into ${name} (${list(inserted)}) select ${values.join(', ')} from ${staged} s${followed}${order}${known}`);
    expected.set(name, await contentOf(target, staged, withoutChanged(table), 'true', clinicId));
  }
  if (!readOnly) await target.query('update identity.clinic_limits set read_only = false where clinic_id = $1', [clinicId]);
  compare(expected, await contentsOf(target, tables, clinicId, false));
  await dropStaging(target, clinicId);
  return sum([...expected.values()].map(({ rows }) => rows));
}

/** An event that seems to have been published before the stream was created is published again by the relay, after new events. */
const REPUBLISHED = `case when s.published_at is not null then 'epoch'::timestamptz end`;
