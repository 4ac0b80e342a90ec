import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PROJECT } from '../../../schemas.ts';

const IMPORTS = `import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';\n`;
const FILES = {
  assertion: `test('one', () => expect({ a: [1] }).toEqual({ a: [2] })); test('two', () => {});`,
  load: `test('one', () => {}); throw new Error('while it is loaded');`,
  missing: `import './absent.ts'; test('one', () => {});`,
  rejection: `test('one', async () => { void Promise.reject(new Error('unhandled')); await new Promise((done) => setTimeout(done, 50)); });`,
  timer: `test('one', async () => { setTimeout(() => { throw new Error('late'); }, 5); await new Promise((done) => setTimeout(done, 50)); });`,
  endless: `test('one', () => new Promise(() => {}), 200); test('two', () => {});`,
  endlessByDefault: `jest.setTimeout(200); test('one', () => new Promise(() => {}));`,
  hook: `describe('a', () => { beforeAll(() => { throw new Error('before'); }); test('one', () => {}); test('two', () => {}); });`,
  lastHook: `test('one', () => {}); afterAll(() => { throw new Error('after'); });`,
  exit: `test('one', () => process.exit(0));`,
  empty: '',
  each: `test.each([1, 2, 3])('%i', (n) => expect(n).toBe(2)); test.skip('skipped', () => {}); describe.skip('b', () => { test('x', () => {}); test('y', () => {}); });`,
};
const UNTIDY = `import { count } from './module.ts';
test(String(count()), () => {
  expect(process.env.LEFT).toBeUndefined();
  expect(Date.now()).toBeGreaterThan(1);
  process.env.LEFT = 'x';
  jest.spyOn(Date, 'now').mockReturnValue(1);
});`;

type Result = { name: string; status: string; assertionResults: { title: string; status: string }[]; message: string };

const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'clinic-jest-')));
let status: number | null;
let results: Result[];

beforeAll(() => {
  writeFileSync(path.join(folder, 'module.ts'), 'let calls: number = 0;\nexport const count = (): number => ++calls;\n');
  for (const [name, source] of Object.entries(FILES)) writeFileSync(path.join(folder, `${name}.test.ts`), IMPORTS + source);
  ({ status, results } = run('--maxWorkers=2'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(...options: string[]) {
  const native = path.join(PROJECT, 'scripts/dev/testing/native');
  const config = { rootDir: folder, runtime: `${native}/runtime.js`, testEnvironment: `${native}/environment.js`, transform: {}, testMatch: ['**/*.test.ts'] };
  const report = path.join(folder, 'report.json');
  const jest = [path.join(PROJECT, 'node_modules/jest/bin/jest.js'), '--config', JSON.stringify(config), '--json', '--outputFile', report];
  const { status } = spawnSync(process.execPath, [...jest, ...options], { stdio: 'ignore', env: { ...process.env, NODE_OPTIONS: '' } });
  return { status, results: (JSON.parse(readFileSync(report, 'utf8')) as { testResults: Result[] }).testResults };
}

test('each kind of failure fails its file and the run', () => {
  expect(status).toBe(1);
  expect(results.map(({ name }) => path.basename(name, '.test.ts')).sort()).toEqual(Object.keys(FILES).sort());
  expect(results.filter((result) => result.status !== 'failed')).toEqual([]);
});

test.each([
  ['assertion', ['failed', 'passed']],
  ['rejection', ['failed']],
  ['timer', ['failed']],
  ['endless', ['failed', 'passed']],
  ['endlessByDefault', ['failed']],
  ['hook', ['failed', 'failed']],
  ['each', ['failed', 'passed', 'failed', 'pending', 'pending', 'pending']],
])('the tests of %s are counted', (name, expected) => {
  const found = results.find((result) => path.basename(result.name) === `${name}.test.ts`);
  expect(found?.assertionResults.map((result) => result.status)).toEqual(expected);
});

test('a failure names the line of the test', () => {
  expect(results.find(({ name }) => name.endsWith('/endless.test.ts'))?.message).toContain('endless.test.ts');
});

test('test files of a process share modules, and no mocks or environment variables', () => {
  for (const name of Object.keys(FILES)) rmSync(path.join(folder, `${name}.test.ts`));
  for (const name of ['first', 'second']) writeFileSync(path.join(folder, `${name}.test.ts`), IMPORTS + UNTIDY);
  const shared = run('--runInBand');
  expect(shared.status).toBe(0);
  expect(shared.results.flatMap(({ assertionResults }) => assertionResults.map(({ title }) => title)).sort()).toEqual(['1', '2']);
});
