// Writes a backup: every table as gzipped output of COPY, read from one snapshot, and a manifest with hashes and numbers of rows.
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ObjectStore } from '@clinic/lib/objects/object-store.ts';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { encryptedColumns } from '../encrypted-columns.ts';
import { type FoundTable, findJobsVersions, findMigrations, findSequences, findTables } from './catalogue.ts';
import { checkMissing, writeFiles } from './files.ts';
import { type ArchivedTable, BackupFault, type Manifest, manifestFile, newManifest } from './manifest.ts';

/**
 * Writes the backup into `folder`, which must not exist yet. It has the name `<folder>.partial` until it is complete. Reads in
 * one transaction, so that all schemas are read as of one instant while the product runs. Without `store`, files of patients are left out.
 */
export async function writeArchive(ownerUrl: string, folder: string, store: ObjectStore | undefined, say: (line: string) => void): Promise<Manifest> {
  if (existsSync(folder)) throw new BackupFault(`${folder} already exists: name a new folder.`);
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'clinic-backup' });
  await client.connect();
  try {
    await begin(client);
    const manifest = newManifest((await client.query<{ version: string }>(`select current_setting('server_version') as version`)).rows[0]?.version ?? '');
    manifest.migrations = await findMigrations(client);
    manifest.jobs = await findJobsVersions(client);
    for (const table of await findTables(client)) manifest.tables.push(await writeTable(client, table, partial, say));
    // After the tables: a sequence is not part of the snapshot, and its value may be ahead of the rows but never behind them.
    manifest.sequences = await findSequences(client);
    manifest.sealedUnder = await keyIds(client, manifest.tables); // plain-words: sealed is part of the format
    const written = store && (await writeFiles(client, store, partial));
    manifest.files = written?.files ?? [];
    await client.query('commit');
    if (written) await checkMissing(client, written.missing);
    writeFileSync(manifestFile(partial), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    renameSync(partial, folder);
    return manifest;
  } finally {
    await client.end();
  }
}

async function begin(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ bypasses: boolean }>('select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = current_user');
  // For another role row-level security would silently leave out rows.
  if (!rows[0]?.bypasses) throw new BackupFault('The role of DATABASE_URL cannot read every row: use a superuser or a role with BYPASSRLS.');
  await client.query('begin isolation level repeatable read read only');
  await client.query(`set local row_security = off; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
    set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'iso_8601'; set local extra_float_digits = 3`);
}

const REPORT_ROWS = 500_000;

async function writeTable(client: pg.Client, { schema, table, columns }: FoundTable, folder: string, say: (line: string) => void): Promise<ArchivedTable> {
  const file = path.posix.join(schema, `${table}.copy.gz`);
  mkdirSync(path.join(folder, schema), { recursive: true, mode: 0o700 });
  const list = columns.map((name) => `"${name}"`).join(', ');
  const counter = counting((rows) => {
    if (rows % REPORT_ROWS === 0) say(`${schema}.${table}: ${rows} rows so far`);
  });
  // As a query, since a partitioned table cannot be copied by its name.
  await pipeline(
    client.query(copyTo(`copy (select ${list} from ${schema}."${table}") to stdout`)),
    counter.stream,
    createGzip({ level: 1 }),
    createWriteStream(path.join(folder, file), { mode: 0o600 }),
  );
  const { rows, bytes, sha256 } = counter.result();
  say(`${schema}.${table}: ${rows} rows`);
  return { schema, table, columns, rows, bytes, sha256, file };
}

/** Counts and hashes the lines of COPY that pass through. A line break in a value is escaped, so each line is a row. */
export function counting(onRow: (rows: number) => void = () => {}) {
  const hash = createHash('sha256');
  let rows = 0;
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) onRow(++rows);
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ rows, bytes, sha256: hash.digest('hex') }) };
}

/** The ids of the keys that encrypted values need. `encrypt` writes the id before the ciphertext, in clear. */
async function keyIds(client: pg.Client, tables: FoundTable[]): Promise<string[]> {
  const ids = new Set<string>();
  for (const [schema, columns] of await encryptedColumns()) {
    for (const { table, column } of columns) {
      // The database may lack the column when an older release migrated it.
      if (!tables.some((one) => one.schema === schema && one.table === table && one.columns.includes(column))) continue;
      const { rows } = await client.query<{ id: Buffer }>(
        `select distinct substring(${column} from 3 for get_byte(${column}, 1)) as id from ${schema}.${table} where ${column} is not null`,
      );
      for (const { id } of rows) ids.add(id.toString());
    }
  }
  return [...ids].sort();
}
