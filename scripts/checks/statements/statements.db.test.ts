// Every statement fits the migrated schema: PostgreSQL accepts it, its row type has its columns, and its callers pass values for all its parameters
// with matching types. Statements whose text a function composes are only executed by their own tests.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PROJECT } from '../../schemas.ts';
import type { Described } from './describe.ts';
import { annotateFile, generate } from './generate.ts';

/** Copies of these files are compiled too, whose statements are described wrongly: a missing column, a different type, an additional parameter. */
const FAULTY: Record<string, (one: Described) => Described> = {
  'services/scheduling/doctors/vacations.sql.ts': (one) => ({ ...one, columns: one.columns.slice(1) }),
  'services/dental/quotes/quotes.sql.ts': (one) => ({ ...one, columns: one.columns.map(({ name }) => ({ name, type: 16 })) }),
  'services/platform/invite-codes/invite-codes.sql.ts': (one) => ({ ...one, parameters: [...one.parameters, 25] }),
};
const faulty = (file: string) => `${path.dirname(file)}/faulty-${path.basename(file)}`;

let database: TestDatabase;
let described: Described[];
/** The compiler's errors, with the files' paths in the project. */
let faults: string[];

beforeAll(async () => {
  database = await testDatabase();
  const program = ['--import', path.join(import.meta.dirname, 'observe.js'), path.join(import.meta.dirname, 'describe.ts'), database.ownerUrl];
  const { stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8', maxBuffer: 1 << 28, cwd: PROJECT });
  if (!stdout) throw new Error(stderr);
  described = JSON.parse(stdout) as Described[];
  mkdirSync(path.join(PROJECT, '.cache'), { recursive: true });
  const folder = mkdtempSync(path.join(PROJECT, '.cache', 'statements-'));
  generate(PROJECT, folder, described);
  for (const [file, change] of Object.entries(FAULTY)) {
    const statements = described.filter((one) => one.file === file).map(change);
    annotateFile(PROJECT, folder, file, statements, faulty(file));
  }
  const tsc = spawnSync(process.execPath, [path.join(PROJECT, 'node_modules/typescript/bin/tsc'), '-p', folder, '--noEmit'], { encoding: 'utf8', cwd: folder });
  faults = tsc.stdout.split('\n').filter((line) => line.includes('error TS'));
  rmSync(folder, { recursive: true, force: true });
});

afterAll(() => database.drop());

test('PostgreSQL accepts every statement', () => {
  expect(described.length).toBeGreaterThan(500);
  expect(described.filter(({ error }) => error).map(({ file, line, error }) => `${file}:${line}: ${error}`)).toEqual([]);
});

test('columns and parameters match the types', () => {
  expect(faults.filter((fault) => !Object.keys(FAULTY).some((file) => fault.startsWith(faulty(file))))).toEqual([]);
});

test.each(Object.keys(FAULTY))('faults are found: %s', (file) => {
  expect(faults.filter((fault) => fault.startsWith(faulty(file))).length).toBeGreaterThan(0);
});
