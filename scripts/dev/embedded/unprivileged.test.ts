// PostgreSQL's folders outside of the data folder: those of temporary data folders are deleted, those of others never.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { linkElsewhere } from './unprivileged.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'unprivileged-'));
const root = path.join(folder, 'reachable');
mkdirSync(root);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function dataFolder(name: string): { data: string; elsewhere: string } {
  const data = path.join(folder, name);
  mkdirSync(data);
  linkElsewhere(path.join(data, 'postgres'), root);
  const elsewhere = realpathSync(path.join(data, 'postgres'));
  writeFileSync(path.join(elsewhere, 'cluster'), name);
  return { data, elsewhere };
}

test('a further data folder deletes the databases of deleted temporary folders, but not those of moved or unmounted ones', () => {
  const [moved, temporary, running] = [dataFolder('data'), dataFolder('clinic-temp-ended'), dataFolder('clinic-temp-running')];
  renameSync(moved.data, path.join(folder, 'moved'));
  rmSync(temporary.data, { recursive: true });
  const further = dataFolder('data');
  expect([moved, temporary, running, further].map(({ elsewhere }) => existsSync(path.join(elsewhere, 'cluster')))).toEqual([true, false, true, true]);
  expect(realpathSync(path.join(folder, 'moved/postgres'))).toBe(moved.elsewhere);
  expect(readdirSync(root)).not.toContain(`${path.basename(temporary.elsewhere)}.linked-by`);
});
