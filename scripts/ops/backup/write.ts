// Writes a backup: the gzipped output of COPY for every table, all read from one snapshot, and a manifest with hashes and numbers of rows.
import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { counted } from '@clinic/lib/formats/counted.ts';
import type { ObjectStore } from '@clinic/lib/objects/object-store.ts';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { COPY_SETTINGS, tryLock, withClient } from '../../database.ts';
import { OpsFault, ownerConnection } from '../command.ts';
import { encryptedColumns } from '../personal-data.ts';
import { type FoundTable, findJobsVersions, findMigrations, findSequences, findTables, hasColumn, seesEveryRow } from './catalogue.ts';
import { checkMissing, FLUSHED, listFiles, writeFiles } from './files.ts';
import { type ArchivedTable, type Manifest, manifestFile, newManifest } from './manifest.ts';
import { measuring } from './measuring.ts';

/**
 * Writes the backup into `folder`, which must not exist yet, and is named `<folder>.partial` until it is complete. One transaction reads all
 * schemas as of one instant while the product runs; patients' files are copied after it. Without `store`, they are left out.
 */
export function writeArchive(ownerUrl: string, folder: string, store: ObjectStore | undefined, print: (line: string) => void): Promise<Manifest> {
  const write = async (client: pg.Client) => {
    // Two backups into one folder would mix their files.
    if (!(await tryLock(client, `backup ${folder}`))) throw new OpsFault(`Another backup is being written into ${folder}: choose another folder.`);
    if (existsSync(folder)) throw new OpsFault(`${folder} already exists: choose a new folder.`);
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true, mode: 0o700 });
    const { manifest, keys } = await writeDatabase(client, store !== undefined, partial, print);
    if (store) {
      const { files, missing } = await writeFiles(keys, store, partial, print);
      manifest.files = files;
      if (missing.length > 0) await withClient(ownerUrl, (other) => checkMissing(other, missing), CONNECTION);
    }
    writeFileSync(manifestFile(partial), `${JSON.stringify(manifest, null, 2)}\n`, FLUSHED);
    renameSync(partial, folder);
    return manifest;
  };
  return withClient(ownerUrl, write, CONNECTION);
}

const CONNECTION = ownerConnection('clinic-backup');

/**
 * Writes the tables, and returns the keys of patients' files. Their contents are copied afterwards, without a transaction: that may take hours, during
 * which a snapshot would prevent vacuum from removing dead rows.
 */
async function writeDatabase(
  client: pg.Client,
  withFiles: boolean,
  folder: string,
  print: (line: string) => void,
): Promise<{ manifest: Manifest; keys: string[] }> {
  await begin(client);
  const manifest = newManifest((await client.query<{ version: string }>(`select current_setting('server_version') as version`)).rows[0]?.version ?? '');
  manifest.migrations = await findMigrations(client);
  manifest.jobs = await findJobsVersions(client);
  for (const table of await findTables(client)) manifest.tables.push(await writeTable(client, table, folder, print));
  // Read after the tables: a sequence is not part of the snapshot, and its value may be ahead of the rows but not behind them.
  manifest.sequences = await findSequences(client);
  manifest.sealedUnder = await keyIds(client, manifest.tables); // plain-words: sealed is part of the format
  const keys = withFiles ? await listFiles(client) : [];
  await client.query('commit');
  return { manifest, keys };
}

async function begin(client: pg.Client): Promise<void> {
  if (!(await seesEveryRow(client))) throw new OpsFault('The role of DATABASE_URL cannot read every row: use a superuser or a role with BYPASSRLS.');
  await client.query('begin isolation level repeatable read read only');
  await client.query(COPY_SETTINGS);
}

const REPORT_ROWS = 500_000;

async function writeTable(client: pg.Client, { schema, table, columns }: FoundTable, folder: string, print: (line: string) => void): Promise<ArchivedTable> {
  const file = path.posix.join(schema, `${table}.copy.gz`);
  mkdirSync(path.join(folder, schema), { recursive: true, mode: 0o700 });
  const list = columns.map((name) => `"${name}"`).join(', ');
  const { pass, result } = measuring((rows) => {
    if (rows % REPORT_ROWS === 0) print(`${schema}.${table}: ${rows} rows so far`);
  });
  // As a query, since a partitioned table cannot be copied by its name.
  await pipeline(
    client.query(copyTo(`copy (select ${list} from ${schema}."${table}") to stdout`)),
    pass,
    createGzip({ level: 1 }),
    createWriteStream(path.join(folder, file), FLUSHED),
  );
  const { rows, bytes, sha256 } = result();
  print(`${schema}.${table}: ${counted(rows, 'row')}`);
  return { schema, table, columns, rows, bytes, sha256, file };
}

/** The ids of the keys that the encrypted values need. `encrypt` stores the id in plain text before the ciphertext. */
async function keyIds(client: pg.Client, tables: FoundTable[]): Promise<string[]> {
  const ids = new Set<string>();
  for (const [schema, columns] of await encryptedColumns()) {
    for (const { table, column } of columns) {
      // A database that an older release migrated may lack the column.
      if (!hasColumn(tables, schema, table, column)) continue;
      const { rows } = await client.query<{ id: Buffer }>(
        `select distinct substring(${column} from 3 for get_byte(${column}, 1)) as id from ${schema}.${table} where ${column} is not null`,
      );
      for (const { id } of rows) ids.add(id.toString());
    }
  }
  return [...ids].sort();
}
