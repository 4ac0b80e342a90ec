// The contents of patients' files in a backup, encrypted as they are stored.
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { counted } from '@clinic/lib/formats/counted.ts';
import type { ObjectStore } from '@clinic/lib/objects/object-store.ts';
import type pg from 'pg';
import { OpsFault } from '../command.ts';
import { printFiles } from '../print-files.ts';
import type { Manifest } from './manifest.ts';
import { measuring } from './measuring.ts';

type ArchivedFile = Manifest['files'][number];

const STORED = `select clinic_id || '/' || id as key from scheduling.patient_files where stored_at is not null`;
const fileOf = (folder: string, key: string) => path.join(folder, 'files', key);

/** Options for writing a file that is on the disk before the backup or the export gets the name of a complete one. */
export const FLUSHED = { mode: 0o600, flush: true };

type Print = (line: string) => void;

/** The keys of the files whose rows the transaction of `client` sees. */
export async function listFiles(client: pg.Client): Promise<string[]> {
  return (await client.query<{ key: string }>(`${STORED} order by 1`)).rows.map(({ key }) => key);
}

/** Writes the contents of `keys`. `missing` are those that the store does not have. */
export async function writeFiles(keys: string[], store: ObjectStore, folder: string, print: Print): Promise<{ files: ArchivedFile[]; missing: string[] }> {
  const files: ArchivedFile[] = [];
  const missing: string[] = [];
  for (const key of keys) {
    const content = await store.get(key);
    if (!content) {
      missing.push(key);
      continue;
    }
    const file = fileOf(folder, key);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const { pass, result } = measuring();
    await pipeline(content, pass, createWriteStream(file, FLUSHED));
    const { bytes, sha256 } = result();
    files.push({ key, bytes, sha256 });
    printFiles(print, files.length, keys.length);
  }
  return { files, missing };
}

/** Throws when one of the missing files still has a row, that is, was not deleted since the backup began. */
export async function checkMissing(client: pg.Client, missing: string[]): Promise<void> {
  const { rows } = await client.query<{ key: string }>(`select key from (${STORED}) stored where key = any($1)`, [missing]);
  if (rows.length > 0) throw new OpsFault(`The store of files lacks ${counted(rows.length, 'file')}, such as ${rows[0]?.key}: check DATA_DIR or S3_ENDPOINT.`);
}

/** Compares each file with the manifest. With `store`, also stores it there. */
export async function readFiles(folder: string, { files }: Pick<Manifest, 'files'>, print: Print, store?: ObjectStore): Promise<void> {
  for (const [index, { key, bytes, sha256 }] of files.entries()) {
    printFiles(print, index, files.length);
    const { pass, result } = measuring();
    const content = pass(createReadStream(fileOf(folder, key)));
    try {
      if (store) await store.put(key, bytes, content);
      else for await (const _ of content);
    } catch (error) {
      throw new OpsFault(`files/${key} cannot be read or stored: ${(error as Error).message}`);
    }
    const read = result();
    if (read.bytes !== bytes || read.sha256 !== sha256) throw new OpsFault(`files/${key} is damaged: its size or hash differs from the manifest.`);
  }
}
