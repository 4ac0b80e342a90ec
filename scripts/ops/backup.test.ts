// A backup made while the product runs is restored into an empty installation, with the keys from another place.
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { PublicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Api, apiAt, type Body, expectStatus } from '../../e2e/api.ts';
import { asOwner, ownerUrl } from '../../e2e/product-internals.ts';
import { runJourneys } from '../../e2e/setup/journeys.ts';
import { runScript, startScript } from '../../e2e/setup/ops.ts';
import { readStoredSecrets, requireEncryptionKeys } from '../dev/launch/secrets.ts';
import { usePreparedPostgres } from '../dev/prepared-postgres.ts';
import { type Product, startProduct } from '../dev/product.ts';
import { tempFolder } from '../dev/temp-folder.ts';

const [before, after, unreadable, archives] = [tempFolder('backup'), tempFolder('restored'), tempFolder('unreadable'), tempFolder('archives')];
const archive = path.join(archives, 'monday');
const DUI = '00016297-5';
let product: Product | undefined;
let patient: Body;
let file: Body;
const CONTENT = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(100_000, 'contents')]);

async function signIn({ baseUrl, operatorKey, demo }: PublicApi): Promise<{ api: Api; token: string }> {
  const api = apiAt({ baseUrl, operatorKey });
  return { api, token: (await expectStatus(200, api.post('/api/auth/login', demo))).body.access_token };
}
const count = async (folder: string, table: string) => Number((await asOwner({ dataDir: folder }, `select count(*)::int as n from ${table}`))[0]?.n);
const restore = (...words: string[]) => runScript(after, 'restore', '--from', archive, ...words);

beforeAll(async () => {
  product = await startProduct('single', { DATA_DIR: before });
  const { api, token } = await signIn(product.api);
  patient = (await expectStatus(201, api.post('/api/patients', { fullName: 'Beatriz Quijano', phone: '+50370009999', dui: DUI }, { token }))).body;
  const form = new FormData();
  form.set('file', new Blob([CONTENT]), 'carta.pdf');
  file = (await expectStatus(201, api.postForm(`/api/patients/${patient.id}/files`, form, { token }))).body;
});
afterAll(async () => {
  await product?.stop();
  for (const folder of [before, after, unreadable, archives]) rmSync(folder, { recursive: true, force: true });
});

test('a backup is made while patients are added', async () => {
  const { api, token } = await signIn((product as Product).api);
  let writing = true;
  let added = 0;
  const writer = (async () => {
    while (writing) {
      await expectStatus(201, api.post('/api/patients', { fullName: 'De paso', phone: `+5036${String(++added).padStart(7, '0')}` }, { token }));
    }
  })();
  const made = await runScript(before, 'backup', '--to', archive);
  writing = false;
  await writer;
  expect(made).toMatchObject({ status: 0, stderr: '' });
  expect(made.stdout).toMatch(/\d+ rows of \d+ tables[\s\S]*does not contain the keys[\s\S]*keys of ENCRYPTION_KEYS: k1\.\w+/);
  expect(added).toBeGreaterThan(5);
});

test('a backup contains no keys, and only the user can read its files', () => {
  const secrets = readFileSync(path.join(before, 'secrets.env'), 'utf8')
    .split('\n')
    .flatMap((line) => line.slice(line.indexOf('=') + 1).split(/[:,]/))
    .filter((word) => word.length >= 16);
  expect(secrets.length).toBeGreaterThan(5);
  const files = readdirSync(archive, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) {
    const file = path.join(parentPath, name);
    expect(statSync(file).mode & 0o077).toBe(0);
    const text = name.endsWith('.gz') ? gunzipSync(readFileSync(file)).toString() : readFileSync(file, 'utf8');
    for (const secret of secrets) expect(text.includes(secret)).toBe(false);
  }
});

test('without the keys, or with wrong ones, nothing is restored', async () => {
  expect(await restore()).toMatchObject({ status: 1, stderr: expect.stringMatching(/^ENCRYPTION_KEYS lacks k1\.\w+/) });
  writeFileSync(path.join(after, 'secrets.env'), `ENCRYPTION_KEYS=k1.*:${Buffer.alloc(32, 9).toString('base64')}\n`);
  expect(await restore()).toMatchObject({ status: 1, stderr: expect.stringMatching(/^ENCRYPTION_KEYS cannot decrypt \w+\.\w+\.\w+: /) });
});

test('when the keys are lost, everything else is restored, and new keys with another id are stored for the next start', async () => {
  usePreparedPostgres(unreadable, process.env); // in a whole test run: an empty database, whose schema is migrated
  rmSync(path.join(unreadable, 'secrets.env'), { force: true });
  const { status, stdout } = await runScript(unreadable, 'restore', '--from', archive, '--without-keys');
  expect([status, stdout]).toEqual([0, expect.stringMatching(/new ENCRYPTION_KEYS, k2\.\*, .*secrets\.env/)]);
  expect(readStoredSecrets(unreadable).ENCRYPTION_KEYS).toMatch(/^k2\.\*:/);
  requireEncryptionKeys({}, unreadable);
});

test('a changed file is detected', async () => {
  const changes: [string, (whole: Buffer) => Buffer][] = [
    ['scheduling/patients.copy.gz', (whole) => gzipSync(gunzipSync(whole).toString().replace('Quijano', 'Quijana'))],
    [`files/${patient.clinic_id}/${file.id}`, (whole) => whole.subarray(1)],
  ];
  for (const [name, change] of changes) {
    const changed = path.join(archive, name);
    const whole = readFileSync(changed);
    writeFileSync(changed, change(whole));
    expect(await restore('--check')).toMatchObject({ status: 1, stderr: expect.stringContaining('is damaged: its') });
    writeFileSync(changed, whole);
  }
  expect(await restore('--check')).toMatchObject({ status: 0, stdout: expect.stringContaining('is complete') });
});

test('the database may be named by a file, and one that has rows is refused before files are stored', async () => {
  rmSync(path.join(after, 'files'), { recursive: true, force: true });
  process.env.DATABASE_URL_FILE = path.join(archives, 'database_owner');
  writeFileSync(process.env.DATABASE_URL_FILE, `${ownerUrl({ dataDir: before })}\n`);
  try {
    expect(await restore()).toMatchObject({ status: 1, stderr: expect.stringContaining('The database is not empty') });
    expect(existsSync(path.join(after, 'files'))).toBe(false);
  } finally {
    delete process.env.DATABASE_URL_FILE;
  }
});

test('an interrupted restore can be run again; the restored product decrypts national ids, has an intact audit log and equal projections, and publishes its events again', async () => {
  await product?.stop();
  copyFileSync(path.join(before, 'secrets.env'), path.join(after, 'secrets.env'));
  const killed = startScript(after, 'restore', '--from', archive);
  await waitFor(() => / rows$/m.test(killed.ran.stdout));
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(await restore()).toMatchObject({ status: 0, stderr: '' });
  expect(await restore()).toMatchObject({ status: 1, stderr: expect.stringMatching(/^The database is not empty/) });

  // The restored product does not need it; this test signs in with it.
  copyFileSync(path.join(before, 'demo.json'), path.join(after, 'demo.json'));
  product = await startProduct('single', { DATA_DIR: after });
  const { api, token } = await signIn(product.api);
  expect((await expectStatus(200, api.get(`/api/patients/${patient.id}`, { token }))).body).toEqual({ ...patient, dui: DUI });
  const download = await fetch(api.baseUrl + file.content_url, { headers: { Authorization: `Bearer ${token}` } });
  expect(Buffer.from(await download.arrayBuffer()).equals(CONTENT)).toBe(true);
  await waitFor(async () => {
    const waiting = await Promise.all(
      ['scheduling', 'identity'].map((schema) =>
        asOwner({ dataDir: after }, `select from ${schema}.outbox where published_at is null or published_at < (select since from ${schema}.published_stream)`),
      ),
    );
    return waiting.flat().length === 0;
  });
  const patients = await count(after, 'scheduling.patients');
  expect(patients).toBeGreaterThanOrEqual(15);
  await waitFor(async () => (await count(after, 'dental.recall_patients')) === patients);
  const differing = `select from scheduling.appointments a full join platform.appointments_seen s on s.appointment_id = a.id
    where (a.status, a.revision) is distinct from (s.status, s.revision)`;
  await waitFor(async () => (await asOwner({ dataDir: after }, differing)).length === 0);
  await waitFor(async () => (await count(after, 'scheduling.audit_pending')) === 0);
  expect(await runScript(after, 'ops', 'verify-audit')).toMatchObject({ status: 0, stdout: expect.stringContaining('The audit log is intact.') });
});

test('the end-to-end journey of a clinic passes on the restored product', async () => {
  expect(await runJourneys((product as Product).api, ['e2e/journey.test.ts'])).toContain('PASS');
});
