// Rotates the encryption keys of a running product: append the new key, move it to the front, rotate. The first key is shared by all services, as in
// earlier releases.
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asOwner, secret } from '../../e2e/product-internals.ts';
import { type Scripts, startScripts } from '../../e2e/setup/ops.ts';
import { type Product, startProduct } from '../dev/product.ts';
import { tempFolder } from '../dev/temp-folder.ts';

const folder = tempFolder('rotate-keys');
let product: Product | undefined;
let scripts: Scripts;
beforeAll(() => {
  scripts = startScripts(folder);
});
afterAll(async () => {
  await scripts.stop();
  await product?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function restart(env: Record<string, string> = {}): Promise<void> {
  await product?.stop();
  product = await startProduct('single', { DATA_DIR: folder, ...env });
}

function setKeys(ring: string): void {
  const file = path.join(folder, 'secrets.env');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^ENCRYPTION_KEYS=.*$/m, `ENCRYPTION_KEYS=${ring}`));
}

const rotate = () => scripts.run('scripts/ops/ops.ts', 'rotate-keys');

/** The number of encrypted national ids by key id. A ciphertext begins with the version, the length of the key id, and the key id. */
const underKeys = async () => {
  const rows = await asOwner(
    { dataDir: folder },
    `select convert_from(substring(dui_sealed from 3 for get_byte(dui_sealed, 1)), 'UTF8') as key, count(*)::int as n
     from scheduling.patients where dui_sealed is not null group by 1`,
  );
  return Object.fromEntries(rows.map(({ key, n }) => [key, n]));
};

let token: string | undefined;
async function signIn({ baseUrl, demo }: Product['api']): Promise<string> {
  const login = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(demo) };
  return ((await (await fetch(`${baseUrl}/api/auth/login`, login)).json()) as { access_token: string }).access_token;
}

/** The number of patients of the demo clinic with a readable national id. Throws when a request fails. */
async function readDuis(): Promise<number> {
  const { api } = product as Product;
  token ??= await signIn(api);
  const headers = { Authorization: `Bearer ${token}` };
  const patients = await asOwner({ dataDir: folder }, 'select id from scheduling.patients where dui_sealed is not null');
  const answers = await Promise.all(patients.map(({ id }) => fetch(`${api.baseUrl}/api/patients/${id}`, { headers })));
  expect(answers.filter(({ ok }) => !ok)).toEqual([]);
  const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as { dui: string | null }[];
  return bodies.filter(({ dui }) => /^\d{8}-\d$/.test(dui ?? '')).length;
}

test('the command refuses while a process does not know the new key, and ends with 1 while a process encrypts with an older key', async () => {
  const shared = `k1:${randomBytes(32).toString('base64')}`;
  await restart({ ENCRYPTION_KEYS: shared });
  const before = await underKeys();
  const all = before.k1 ?? 0;
  expect(all).toBeGreaterThan(5);

  // From the next start on, each service has its own keys.
  appendFileSync(path.join(folder, 'secrets.env'), `ENCRYPTION_KEYS=${shared}\n`);
  await restart();
  const old = secret({ dataDir: folder }, 'ENCRYPTION_KEYS');
  expect(old).toMatch(/^k2\.\*:[^,]+,k1:/);
  const fresh = `fresh.*:${randomBytes(32).toString('base64')}`;
  expect(await readDuis()).toBe(all);

  // The new key is in front, but processes were not restarted.
  setKeys(`${fresh},${old}`);
  const refused = await rotate();
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toContain('These running processes do not know fresh.*, the first key of ENCRYPTION_KEYS:\n');
  for (const service of ['billing', 'dental', 'identity', 'messaging', 'platform', 'scheduling'])
    expect(refused.stderr).toMatch(new RegExp(`^  ${service}, process \\d+ on \\S+: knows k2\\.${service}, k1$`, 'm'));
  expect(await underKeys()).toEqual(before);

  // The new key is appended and processes were restarted: they can decrypt the result, but encrypt with the old key.
  setKeys(`${old},${fresh}`);
  await restart();
  setKeys(`${fresh},${old}`);
  let rotated = false;
  const rotating = rotate().finally(() => {
    rotated = true;
  });
  while (!rotated) expect(await readDuis()).toBe(all);
  const early = await rotating;
  expect(early).toMatchObject({ status: 1, stderr: '' });
  expect(early.stdout).toMatch(/^scheduling, process \d+ on \S+, still encrypts with k2\.scheduling$/m);
  expect(early.stdout).toContain('0 values encrypted under other keys than fresh.*; 6 running processes with another key.\n');
  expect(await underKeys()).toEqual({ 'fresh.scheduling': all });
  expect(await readDuis()).toBe(all);

  // The new key is in front and processes were restarted.
  await restart();
  const done = await rotate();
  expect(done).toMatchObject({ status: 0, stderr: '' });
  expect(done.stdout).toMatch(/^0 values encrypted under other keys than fresh\.\*; 0 running processes with another key\.$/m);

  // The old key is removed.
  setKeys(fresh);
  await restart();
  expect(await readDuis()).toBe(all);
});
