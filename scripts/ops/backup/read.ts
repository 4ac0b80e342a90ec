// Restores a backup into an empty database, in one transaction, and compares every file with the manifest.
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt } from '@clinic/lib/crypto/crypto.ts';
import { serviceKeys } from '@clinic/lib/crypto/service-keys.ts';
import { migrate } from '@clinic/lib/db/migrate.ts';
import { counted } from '@clinic/lib/formats/counted.ts';
import type { ObjectStore } from '@clinic/lib/objects/object-store.ts';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { query, withClient } from '../../database.ts';
import { schemaSources } from '../../schemas.ts';
import { OpsFault, ownerConnection } from '../command.ts';
import { encryptedColumns } from '../personal-data.ts';
import { type FoundTable, findJobsVersions, findMigrations, findTables, hasColumn } from './catalogue.ts';
import { readFiles } from './files.ts';
import type { ArchivedTable, Manifest } from './manifest.ts';
import { measuring } from './measuring.ts';

type Print = (line: string) => void;

const CONNECTION = ownerConnection('clinic-restore');

/** Reads every file of the backup and compares it with the manifest. Throws an OpsFault at the first that differs. */
export async function checkArchive(folder: string, manifest: Manifest, print: Print): Promise<void> {
  const discard = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  for (const table of manifest.tables) {
    await readTable(folder, table, discard());
    print(`${table.schema}.${table.table}: ${counted(table.rows, 'row')}, complete`);
  }
  await readFiles(folder, manifest, print);
  print(`${counted(manifest.files.length, 'file')} of patients, complete`);
}

/** Restores into an empty database and a store. With `keys`, samples of the encrypted columns are decrypted before the commit. */
export async function restoreArchive(
  ownerUrl: string,
  folder: string,
  manifest: Manifest,
  keys: NamedKey[] | undefined,
  store: ObjectStore,
  print: Print,
): Promise<void> {
  await withClient(ownerUrl, checkEmpty, CONNECTION); // before its schema is changed
  // The schema as it was when the backup was made. Newer migrations are applied after the data is loaded, because they may change rows.
  await migrate(ownerUrl, schemaSources(), { wanted: (schema, name) => manifest.migrations[schema]?.[name] !== undefined });
  const restore = async (client: pg.Client) => {
    await checkTarget(client, manifest);
    // Files are stored before the rows, so that no row is without its file, and before the transaction, which would stay open for all uploads.
    await readFiles(folder, manifest, print, store);
    print(`${counted(manifest.files.length, 'file')} of patients`);
    await client.query('begin');
    await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local timezone = 'UTC'`);
    await checkTarget(client, manifest); // again, because rows may have been written in the meantime
    await load(client, folder, manifest, print);
    for (const { schema, name, last, called } of manifest.sequences)
      await client.query('select setval($1::regclass, $2, $3)', [`${schema}.${name}`, last, called]);
    if (keys) await decryptSamples(client, manifest.tables, keys);
    await client.query('commit');
  };
  await withClient(ownerUrl, restore, CONNECTION);
  try {
    await migrate(ownerUrl, schemaSources(), { print }); // migrations newer than the backup
    await query(ownerUrl, 'analyze');
  } catch (error) {
    throw new OpsFault(
      `The backup is restored, but could not be migrated: ${(error as Error).message}\nRemove the cause and run npm run migrate, or npm start.`,
    );
  }
}

async function checkEmpty(client: pg.Client): Promise<void> {
  for (const { schema, table } of await findTables(client)) {
    const { rowCount } = await client.query(`select from ${schema}."${table}" limit 1`);
    if (rowCount)
      throw new OpsFault(
        `The database is not empty, and a restore overwrites nothing: ${schema}.${table} has rows. Use an empty database, or set DATA_DIR to a new folder.`,
      );
  }
}

async function checkTarget(client: pg.Client, manifest: Manifest): Promise<void> {
  const applied = await findMigrations(client);
  for (const [schema, wanted] of Object.entries(manifest.migrations)) {
    for (const [name, sha256] of Object.entries(wanted)) {
      if (applied[schema]?.[name] !== sha256)
        throw new OpsFault(`The migration ${name} of ${schema} differs between the backup and this release: restore it with the release that made it.`);
    }
    for (const name of Object.keys(applied[schema] ?? {})) {
      if (!wanted[name])
        throw new OpsFault(`The database has the migration ${name} of ${schema}, which the backup does not have: restore it into an empty database.`);
    }
  }
  const jobs = await findJobsVersions(client);
  for (const [schema, version] of Object.entries(manifest.jobs)) {
    if (jobs[schema] !== version)
      throw new OpsFault(
        `The backup has another version of pg-boss's schema ${schema} (${version}) than this release: restore it with the release that made it.`,
      );
  }
  const tables = await findTables(client);
  for (const { schema, table } of manifest.tables) {
    if (!tables.some((one) => one.schema === schema && one.table === table))
      throw new OpsFault(`The database has no table ${schema}.${table}, which the backup contains.`);
  }
  await checkEmpty(client);
}

const FOREIGN_KEYS = `
  select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
  where contype = 'f' and conparentid = 0 and connamespace::regnamespace::text = any($1)`;

/** Loads all tables. Foreign keys are dropped before and created again afterwards, which checks all rows. Triggers are disabled, because the backup already contains their effects. */
async function load(client: pg.Client, folder: string, manifest: Manifest, print: Print): Promise<void> {
  const schemas = [...new Set(manifest.tables.map(({ schema }) => schema))];
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(FOREIGN_KEYS, [schemas]);
  const { rows: forced } = await client.query<{ table: string }>(
    'select oid::regclass::text as table from pg_class where relforcerowsecurity and relnamespace::regnamespace::text = any($1)',
    [schemas],
  );
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint "${name}"`);
  // Forced row-level security would reject the owner's rows, unless the owner is a superuser.
  for (const { table } of forced) await client.query(`alter table ${table} no force row level security`);
  for (const archived of manifest.tables) {
    const { schema, table, columns, rows } = archived;
    const name = `${schema}."${table}"`;
    await client.query(`alter table ${name} disable trigger user`);
    await readTable(folder, archived, client.query(copyFrom(`copy ${name} (${columns.map((column) => `"${column}"`).join(', ')}) from stdin`)));
    await client.query(`alter table ${name} enable trigger user`);
    print(`${schema}.${table}: ${counted(rows, 'row')}`);
  }
  for (const { table, name, definition } of keys) await client.query(`alter table ${table} add constraint "${name}" ${definition}`);
  for (const { table } of forced) await client.query(`alter table ${table} force row level security`);
}

async function readTable(folder: string, table: ArchivedTable, into: NodeJS.WritableStream): Promise<void> {
  const { pass, result } = measuring();
  try {
    await pipeline(createReadStream(path.join(folder, table.file)), createGunzip(), pass, into);
  } catch (error) {
    throw new OpsFault(`${table.file} cannot be read or loaded: ${(error as Error).message}`);
  }
  const { rows, bytes, sha256 } = result();
  if (rows !== table.rows || bytes !== table.bytes || sha256 !== table.sha256)
    throw new OpsFault(`${table.file} is damaged: its hash or its number of rows differs from the manifest.`);
}

const SAMPLE = 20;

/** Decrypts some values of every encrypted column, so that wrong keys are detected before the product is used. */
export async function decryptSamples(client: pg.Client, tables: FoundTable[], keys: NamedKey[]): Promise<void> {
  for (const [schema, columns] of await encryptedColumns()) {
    for (const { table, key, column, reads = [], context } of columns) {
      if (!hasColumn(tables, schema, table, column)) continue;
      const names = [...new Set([...key, ...reads])].join(', ');
      const { rows } = await client.query(`select ${names}, ${column} as ciphertext from ${schema}.${table} where ${column} is not null limit ${SAMPLE}`);
      for (const row of rows) {
        try {
          decrypt(serviceKeys(keys, schema), row.ciphertext, context(row));
        } catch (error) {
          throw new OpsFault(`ENCRYPTION_KEYS cannot decrypt ${schema}.${table}.${column}: ${(error as Error).message}`);
        }
      }
    }
  }
}
