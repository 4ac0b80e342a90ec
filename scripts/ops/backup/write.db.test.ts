// Backups and restores without a product. The rest of them is tested on a whole product (scripts/ops/backup.test.ts).
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { ObjectStore } from '@clinic/lib/objects/object-store.ts';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query, withClient } from '../../database.ts';
import { tempFolder } from '../../dev/temp-folder.ts';
import { readManifest } from './manifest.ts';
import { checkArchive, restoreArchive } from './read.ts';
import { writeArchive } from './write.ts';

const folder = tempFolder('backup-files');
const clinicId = randomUUID();
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

async function addFile(): Promise<string> {
  const id = randomUUID();
  await withClient(database.ownerUrl, async (client) => {
    await client.query('set session_replication_role = replica'); // without its patient
    await client.query(
      `insert into scheduling.patient_files (clinic_id, id, patient_id, name, kind, content_type, hash, key_sealed, created_at, reserved_at, stored_at)
      values ($1, $2, $2, 'a.pdf', 'document', 'application/pdf', 'x', '\\x016b', now(), now(), now())`, // plain-words: sealed is in the names of columns
      [clinicId, id],
    );
  });
  return `${clinicId}/${id}`;
}

async function* bytes(text: string) {
  yield Buffer.from(text);
}

test('no transaction is open while files are copied; one that is deleted meanwhile is left out, one that only the store lacks is reported', async () => {
  const [stored, deleted] = [await addFile(), await addFile()];
  const held: unknown[] = [];
  const store: Pick<ObjectStore, 'get'> = {
    async get(key) {
      held.push(
        ...(await query(
          database.ownerUrl,
          `select state from pg_stat_activity where application_name = 'clinic-backup' and datname = current_database() and backend_xmin is not null`,
        )),
      );
      if (key !== deleted) return bytes('content');
      await query(database.ownerUrl, 'delete from scheduling.patient_files where id = $1', [key.split('/')[1]]);
      return undefined;
    },
  };
  const { files } = await writeArchive(database.ownerUrl, path.join(folder, 'one'), store as ObjectStore, () => {});
  expect(files.map(({ key, bytes: size }) => [key, size])).toEqual([[stored, 7]]);
  expect(held).toEqual([]);
  const empty = { get: async () => undefined } as Pick<ObjectStore, 'get'> as ObjectStore;
  await expect(writeArchive(database.ownerUrl, path.join(folder, 'two'), empty, () => {})).rejects.toThrow('The store of files lacks 1 file,');
});

test('of two backups into one folder at the same time, one is refused and the other is complete', async () => {
  const target = path.join(folder, 'three');
  const outcomes = await Promise.allSettled([1, 2].map(() => writeArchive(database.ownerUrl, target, undefined, () => {})));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { message: expect.stringMatching(/^Another backup is being written/) },
  });
  await checkArchive(target, readManifest(target), () => {});
});

test('a restore refuses a database with rows before it migrates the database', async () => {
  const target = path.join(folder, 'four');
  const manifest = await writeArchive(database.ownerUrl, target, undefined, () => {});
  const [newest] = await query<{ name: string }>(database.ownerUrl, 'select name from scheduling.migrations order by name desc limit 1');
  await query(database.ownerUrl, 'delete from scheduling.migrations where name = $1', [newest?.name]);
  const restoring = restoreArchive(database.ownerUrl, target, manifest, undefined, {} as ObjectStore, () => {});
  await expect(restoring).rejects.toThrow(/^The database is not empty, and a restore overwrites nothing: scheduling\.\w+ has rows/);
  expect(await query(database.ownerUrl, 'select name from scheduling.migrations where name = $1', [newest?.name])).toEqual([]);
});
