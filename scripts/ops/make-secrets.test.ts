// `npm run secrets` protects the folder that it fills, and completes what an interrupted run has left.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runScript } from '../../e2e/setup/ops.ts';
import { lockDataFolder } from '../dev/launch/data-folder.ts';
import { tempFolder } from '../dev/temp-folder.ts';
import { PROJECT } from '../schemas.ts';

const folder = tempFolder('secrets');
const secrets = path.join(folder, 'secrets');
/** With the umask of a careful administrator. */
const make = () =>
  execFileSync('sh', ['-c', 'umask 077; exec "$0" scripts/run.js make-secrets "$1"', process.execPath, secrets], { cwd: PROJECT, encoding: 'utf8' });
const read = () => Object.fromEntries(readdirSync(secrets).map((name) => [name, readFileSync(path.join(secrets, name), 'utf8')]));

beforeAll(() => {
  mkdirSync(secrets);
  chmodSync(secrets, 0o755); // as Git creates deploy/secrets
  make();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('only the owner can access the folder, and everybody can read its files', () => {
  expect(statSync(secrets).mode & 0o777).toBe(0o700);
  expect(statSync(path.join(secrets, 'superadmin_keys')).mode & 0o777).toBe(0o644);
});

test('a file that a killed run has left empty is written again, and others are not changed', () => {
  const { superadmin_keys: _, ...others } = read();
  writeFileSync(path.join(secrets, 'superadmin_keys'), '');
  expect(make()).toBe('generated superadmin_keys\n');
  expect(read()).toEqual({ ...others, superadmin_keys: expect.stringMatching(/^operator:\w{49}\n$/) });
});

test('a missing or an incorrect file is named', async () => {
  rmSync(path.join(secrets, 'nats_ops'));
  expect(await runScript(folder, 'kubernetes-secrets', secrets, 'single')).toMatchObject({ status: 1, stderr: expect.stringMatching(/has no nats_ops: run/) });
  writeFileSync(path.join(secrets, 'internal_keys'), 'k1');
  expect(await runScript(folder, 'make-secrets', secrets)).toMatchObject({ status: 1, stderr: expect.stringMatching(/^internal_keys must contain id:base64/) });
});

// The last test, because its process has the lock until it ends.
test('of two runs in one folder the second is refused', async () => {
  await lockDataFolder(realpathSync(secrets));
  expect(await runScript(folder, 'make-secrets', secrets)).toMatchObject({
    status: 1,
    stderr: `Another npm run secrets writes into ${secrets}: wait until it has ended.\n`,
  });
});
