// `npm run ops` on a running product.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asOwner, ownerUrl } from '../../e2e/product-internals.ts';
import { runScript, type Scripts, startScript, startScripts } from '../../e2e/setup/ops.ts';
import { withClient } from '../database.ts';
import { type Product, startProduct } from '../dev/product.ts';
import { tempFolder } from '../dev/temp-folder.ts';
import { PROJECT } from '../schemas.ts';

const folder = tempFolder('ops');
let product: Product;
let scripts: Scripts;
beforeAll(async () => {
  scripts = startScripts(folder);
  product = await startProduct('single', { DATA_DIR: folder });
});
afterAll(async () => {
  await scripts.stop();
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ops = (...words: string[]) => scripts.run('scripts/ops/ops.ts', ...words);
const get = (path: string, headers: Record<string, string>) => fetch(`${product.api.baseUrl}${path}`, { headers });
const operatorLines = async () => {
  const answer = await get('/api/superadmin/audit-log?limit=100', { 'X-Admin-Key': product.api.operatorKey });
  return ((await answer.json()) as { actions: { operator: string; action: string; entity_id: string }[] }).actions;
};
const signIn = async () => {
  const login = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(product.api.demo) };
  return ((await (await fetch(`${product.api.baseUrl}/api/auth/login`, login)).json()) as { access_token: string }).access_token;
};

/** The results of `--help` of all commands, by name. */
const getHelp = async () => {
  const list = (await ops('--help')).stdout;
  const names = [...list.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name = '']) => name);
  return new Map(await Promise.all(names.map(async (name) => [name, await ops(name, '--help')] as const)));
};
let help: ReturnType<typeof getHelp> | undefined;

test('it lists its commands, each has a help text, and unknown words are refused', async () => {
  help ??= getHelp();
  expect([...(await help).keys()]).toEqual(expect.arrayContaining(['rotate-keys', 'rebuild', 'replay', 'verify-audit', 'end-sessions']));
  for (const [name, result] of await help) expect(result).toMatchObject({ status: 0, stdout: expect.stringContaining(`npm run ops -- ${name} `) });
  expect(await ops('explode')).toMatchObject({ status: 1, stderr: expect.stringContaining('There is no command explode.') });
  expect(await ops('rotate-keys', 'dry-run')).toMatchObject({ status: 1, stderr: expect.stringContaining("Unexpected argument 'dry-run'.") });
  expect(await ops('rebuild', 'recall', 'streams')).toMatchObject({ status: 1, stderr: expect.stringContaining("Unexpected argument 'streams'.") });
  expect(await ops('export-clinic', '--clinic', 'sonrisa')).toMatchObject({ status: 1, stderr: '--clinic sonrisa: must be a UUID.\n' });
  expect(await ops('rebuild', 'constructor')).toMatchObject({ status: 1, stderr: expect.stringMatching(/^Name what to rebuild: /) });
  expect(await ops('rebuild', 'rome')).toMatchObject({ status: 1, stderr: 'Name what to rebuild: platform, scheduling, recall, streams.\n' });
});

test('every command that changes or deletes data has a dry run', async () => {
  help ??= getHelp();
  const without = [...(await help)].flatMap(([name, { stdout }]) => (stdout.includes('--dry-run') ? [] : [name]));
  expect(without).toEqual(['verify-audit', 'export-patient', 'export-clinic']);
  const email = ['--email', product.api.demo.email];
  // The address may be stored with decomposed letters, as by earlier releases, and typed with composed ones and capitals.
  const rename = (from: string, to: string) => asOwner({ dataDir: folder }, 'update identity.users set email = $2 where email = $1', [from, to]);
  await rename(product.api.demo.email, 'jose\u0301@sonrisa.example');
  const typed = ['--email', 'Jos\u00e9@sonrisa.example'];
  expect(await ops('reset-mfa', ...typed, '--dry-run')).toMatchObject({ status: 0, stdout: 'the user has no second factor\n' });
  await rename('jose\u0301@sonrisa.example', product.api.demo.email);
  await asOwner(
    { dataDir: folder },
    `insert into identity.second_factors (clinic_id, user_id, secret_sealed, created_at) select clinic_id, id, '', now() from identity.users where email = $1`,
    [product.api.demo.email],
  );
  expect(await ops('reset-mfa', ...email, '--dry-run')).toMatchObject({ status: 0, stdout: 'the second factor would be removed\n' });
  expect(await ops('reset-mfa', ...email)).toMatchObject({ status: 0, stdout: 'the second factor is removed\n' });
  expect(await ops('reset-mfa', ...email)).toMatchObject({ status: 0, stdout: 'the user has no second factor\n' });
});

test.each([
  ['migrate', '--dry-run'],
  ['make-secrets', '--to'],
])('%s refuses an option that it does not have', async (program, option) => {
  expect(await scripts.run(`scripts/ops/${program}.ts`, option)).toMatchObject({ status: 1, stderr: expect.stringContaining(`Unknown option '${option}'`) });
});

test('a folder without secrets is named', async () => {
  expect(await scripts.run('scripts/ops/kubernetes-secrets.ts', folder, 'single')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('has no secrets'),
  });
});

test('the stream is deleted and rebuilt while the product runs, and the audit log has it', async () => {
  const [before] = await asOwner(
    { dataDir: folder },
    'select created_at, (select count(*)::int from scheduling.outbox) as stored from scheduling.published_stream',
  );
  expect((await ops('rebuild', 'streams', '--dry-run')).stdout).toContain(`scheduling: ${before?.stored} events would be published again`);
  expect(await ops('rebuild', 'streams', '--operator', 'ana')).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(/deleted\n[\s\S]*rebuilt\n$/),
  });
  const [after] = await asOwner(
    { dataDir: folder },
    `select created_at, (select count(*)::int from scheduling.outbox where published_at < since) as waiting from scheduling.published_stream`,
  );
  expect(after?.created_at).not.toBe(before?.created_at);
  expect(after?.waiting).toBe(0);
  const lines = (await operatorLines()).filter(({ operator }) => operator === 'ana');
  expect(lines.map(({ action, entity_id }) => `${action} ${entity_id}`)).toEqual(['stream.rebuilt streams', 'stream.rebuilt streams']);
});

test('the patients of recall are read again', async () => {
  await waitFor(async () => (await asOwner({ dataDir: folder }, 'select count(*)::int as n from dental.recall_patients'))[0]?.n === 14);
  await asOwner({ dataDir: folder }, 'delete from dental.recall_patients');
  expect(await ops('rebuild', 'recall')).toMatchObject({ status: 0, stderr: '' });
  expect(await asOwner({ dataDir: folder }, 'select count(*)::int as n from dental.recall_patients')).toEqual([{ n: 14 }]);
});

test('a mail whose retries are exhausted is listed, and sent again', async () => {
  const id = '01999999-0000-7000-8000-000000000001';
  await asOwner(
    { dataDir: folder },
    `insert into messaging.mails (id, kind, state, attempts, next_attempt_at, created_at, updated_at) values ($1, 'welcome', 'dead', 9, now(), now(), now())`,
    [id],
  );
  expect((await ops('replay', 'dead-letters', '--dry-run')).stdout).toBe(`${id}  welcome  dead\n1 would be replayed\n`);
  expect(await ops('replay', 'dead-letters', '--status', 'bogus')).toMatchObject({
    status: 1,
    stderr: '--status bogus: dead-letters can have the status dead.\n',
  });
  expect((await ops('replay', 'dead-letters', '--id', id)).stdout).toBe('1 queued again\n');
  expect(await ops('replay', 'dead-letters', '--id', folder)).toMatchObject({ status: 1 });
});

test('of two operators who send a mail again, one does, and the command of the other continues with its other mails', async () => {
  const [first, second] = ['01999999-0000-7000-8000-000000000002', '01999999-0000-7000-8000-000000000003'];
  await asOwner(
    { dataDir: folder },
    `insert into messaging.mails (id, kind, state, attempts, next_attempt_at, created_at, updated_at)
     select id, 'welcome', 'dead', 9, now(), created_at, now() from (values ($1::uuid, now()), ($2, now() + interval '1 second')) m (id, created_at)`,
    [first, second],
  );
  const outputs = await withClient(ownerUrl({ dataDir: folder }), async (client) => {
    await client.query('begin; lock table messaging.mails in row exclusive mode');
    await client.query('select from messaging.mails where id = any($1) for update', [[first, second]]);
    const both = Promise.all([1, 2].map(() => runScript(folder, 'ops', 'replay', 'dead-letters')));
    await waitFor(async () => (await asOwner({ dataDir: folder }, `select from pg_stat_activity where wait_event_type = 'Lock'`)).length === 2);
    await client.query('commit');
    return both;
  });
  expect(outputs.map(({ status, stderr }) => [status, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect(outputs.map(({ stdout }) => Number(/^(\d) queued again/.exec(stdout)?.[1])).reduce((sum, count) => sum + count, 0)).toBe(2);
});

test('a background job that failed for good is listed, run again and deleted', async () => {
  const id = randomUUID();
  const fail = `insert into messaging_jobs.job (id, name, state, data, retry_count, retry_limit, completed_on) values ($1, 'send-mail', 'failed', $2, 24, 24, now())`;
  const wait = `insert into messaging_jobs.job (id, name, state, data, retry_count, start_after) values ($1, 'send-mail', 'retry', '{}', 3, now() + interval '1 day')`;
  const waiting = randomUUID();
  await asOwner({ dataDir: folder }, wait, [waiting]);
  expect((await ops('failed-jobs', '--retrying')).stdout).toMatch(new RegExp(`^messaging  send-mail  ${waiting}  \\S+Z  4$`, 'm'));
  await asOwner({ dataDir: folder }, fail, [id, { id: randomUUID(), first: 0 }]);
  expect((await ops('failed-jobs')).stdout).toMatch(new RegExp(`^messaging  send-mail  ${id}  .*  25\n1 failed job\n$`));
  expect((await ops('failed-jobs', 'retry', id, '--dry-run')).stdout).toMatch(/\n1 failed job would be queued again\n$/);
  expect(await ops('failed-jobs', 'retry', id, '--operator', 'eva')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/\n1 failed job queued again\n$/),
  });
  await waitFor(async () => (await asOwner({ dataDir: folder }, 'select state::text from messaging_jobs.job where id = $1', [id]))[0]?.state === 'completed');
  await asOwner({ dataDir: folder }, `update messaging_jobs.job set state = 'failed' where id = $1`, [id]);
  expect(await ops('failed-jobs', 'delete', id, '--operator', 'eva')).toMatchObject({ status: 0, stdout: expect.stringMatching(/\n1 failed job deleted\n$/) });
  expect((await ops('failed-jobs')).stdout).toBe('0 failed jobs\n');
  expect(await ops('failed-jobs', 'delete', id)).toMatchObject({ status: 1, stderr: `No failed job has the id ${id}.\n` });
  const lines = (await operatorLines()).filter(({ operator }) => operator === 'eva');
  expect(lines.map(({ action, entity_id }) => `${action} ${entity_id}`).toSorted()).toEqual([`job.deleted ${id}`, `job.retried ${id}`]);
});

test('the sessions of a clinic end: an access token is refused from then on', async () => {
  const token = await signIn();
  const asAdmin = { Authorization: `Bearer ${token}` };
  expect((await get('/api/auth/me', asAdmin)).status).toBe(200);
  const [clinic] = await asOwner({ dataDir: folder }, 'select clinic_id from identity.clinics');
  expect((await ops('end-sessions', '--clinic', String(clinic?.clinic_id), '--dry-run')).stdout).toMatch(/^\d+ sessions? would end\n$/);
  expect((await get('/api/auth/me', asAdmin)).status).toBe(200);
  expect((await ops('end-sessions', '--clinic', String(clinic?.clinic_id))).stdout).toMatch(/^[1-9]\d* sessions? ended\n$/);
  expect((await get('/api/auth/me', asAdmin)).status).toBe(401);
  expect((await operatorLines())[0]).toMatchObject({ action: 'clinic.sessions_ended', entity_id: clinic?.clinic_id });
});

test('the commands of docs/operations.md run as they are written', async () => {
  const page = readFileSync(path.join(PROJECT, 'docs/operations.md'), 'utf8');
  const [patient] = await asOwner({ dataDir: folder }, 'select clinic_id, id from scheduling.patients limit 1');
  const files = tempFolder('ops-page');
  const written = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
  const lines = written
    .map((line) => line.replaceAll('/backups', files))
    .map((line) => line.replace('--clinic <uuid>', `--clinic ${patient?.clinic_id}`).replace('--patient <uuid>', `--patient ${patient?.id}`))
    .map((line) => line.replace(/--to (\w+\.jsonl)/, `--to ${files}/$1`))
    // A restore needs an empty installation (scripts/ops/backup.test.ts), and one backup is enough.
    .filter((line) => /^(npm run ops|npm run backup|npm run restore .*--check|curl) /.test(line));
  const words = lines.map((line) => / -- ([a-z-]+)|^(curl)/.exec(line)?.slice(1).find(Boolean)).filter(Boolean);
  expect(words).toEqual(expect.arrayContaining(['export-patient', 'erase-patient', 'export-clinic', 'erase-clinic', 'curl']));
  const { baseUrl: PUBLIC_URL, operatorKey: OPERATOR_KEY } = product.api;
  const env = { ...process.env, NODE_OPTIONS: '', DATA_DIR: folder, PUBLIC_URL, OPERATOR_KEY, CLINIC_ID: String(patient?.clinic_id) };
  const run = promisify(execFile);
  // `run` rejects when a command fails, and the error has what it wrote.
  for (const line of lines) await run('bash', ['-o', 'pipefail', '-ec', line.replace('curl -s', 'curl -fsS')], { cwd: PROJECT, env });
  rmSync(files, { recursive: true, force: true });
});

test('a command continues quietly when nobody reads its output, as after `| head -1`', async () => {
  const { child, ran, ended } = startScript(folder, 'ops', 'verify-audit');
  child.stdout?.destroy();
  await ended;
  expect(ran).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('a command that cannot reach PostgreSQL says where it looked', async () => {
  const env = { ...process.env, NODE_OPTIONS: '', DATABASE_URL: 'postgres://clinic_owner:secret-word@127.0.0.1:1/clinic' };
  const failing = promisify(execFile)(process.execPath, ['scripts/run.js', 'ops', 'failed-jobs'], { cwd: PROJECT, env });
  await expect(failing).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The command failed: PostgreSQL at 127\.0\.0\.1:1 cannot be reached \((?!.*secret-word)/),
  });
});

/** Waits until all rows are linked. The product links those of other processes together with its next own one, or every 30 seconds. */
async function linked(): Promise<void> {
  const headers = { 'Content-Type': 'application/json', 'X-Admin-Key': product.api.operatorKey };
  await fetch(`${product.api.baseUrl}/api/superadmin/notices`, { method: 'POST', headers, body: JSON.stringify({ message: 'Aviso' }) });
  await waitFor(async () => (await asOwner({ dataDir: folder }, 'select count(*)::int as n from identity.audit_pending'))[0]?.n === 0);
}

test('old rows of the audit log are moved into files, without which verify-audit fails', async () => {
  const clinic = randomUUID();
  await asOwner(
    { dataDir: folder },
    `with entry as (
       insert into identity.audit_log (clinic_id, id, at, actor_kind, actor_id, action, entity, entity_id, ip, request_id)
       values ('${clinic}', gen_random_uuid(), '2020-01-01', 'service', 'billing', 'clinic.updated', 'clinic', 'c1', '', '') returning clinic_id, id)
     insert into identity.audit_pending (clinic_id, id) select * from entry`,
  );
  await linked();
  expect(await ops('archive-audit', '--before', '2099-01-01', '--to', folder)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('at least a year ago'),
  });
  expect(await ops('archive-audit', '--before', '2021-02-29', '--to', folder)).toMatchObject({ status: 1, stderr: expect.stringContaining('as yyyy-mm-dd') });
  const archives = `${folder}/archives`;
  await withClient(ownerUrl({ dataDir: folder }), async (client) => {
    await client.query(`select pg_advisory_lock(hashtextextended('archive-audit', 0))`);
    expect(await ops('archive-audit', '--before', '2021-01-01', '--to', archives)).toMatchObject({
      status: 1,
      stderr: 'Another archive-audit or a verify-audit is running: wait until it has ended.\n',
    });
    const verifying = startScript(folder, 'ops', 'verify-audit');
    await waitFor(() => verifying.ran.stdout === 'waiting until archive-audit has ended\n');
    await client.query('select pg_advisory_unlock_all()');
    await verifying.ended;
    expect(verifying.ran).toMatchObject({ status: 0, stdout: expect.stringContaining('The audit log is intact.') });
  });
  expect(await ops('archive-audit', '--before', '2021-01-01', '--to', archives, '--dry-run')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('identity: 1 row would be archived'),
  });
  expect(existsSync(archives)).toBe(false);
  expect(await ops('archive-audit', '--before', '2021-01-01', '--to', archives)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('identity: 1 row archived'),
  });
  expect(readdirSync(`${archives}/identity/${clinic}`)).toEqual(['1-1.jsonl']);
  expect(await ops('verify-audit')).toMatchObject({ status: 1, stdout: expect.stringContaining('are neither in the database nor in an archive') });
  expect(await ops('verify-audit', '--archives', archives)).toMatchObject({ status: 0, stdout: expect.stringContaining('(1 archived)') });
  await asOwner({ dataDir: folder }, `delete from identity.audit_chain where clinic_id = '${clinic}'`);
});

test('the audit log of a clinic may only be missing when move-clinic has moved the clinic to another installation', async () => {
  await linked();
  const clinic = randomUUID();
  const heads = path.join(folder, 'heads-before-move.json');
  const known = JSON.stringify({ [`identity/${clinic}`]: { linked: 3, head: 'ab' } });
  writeFileSync(heads, known);
  const missing = { status: 1, stdout: expect.stringContaining(`identity, clinic ${clinic}: the whole audit log is missing`) };
  expect(await ops('verify-audit', '--heads', heads)).toMatchObject(missing);
  expect(readFileSync(heads, 'utf8')).toBe(known);
  const record = (changes: object) =>
    asOwner(
      { dataDir: folder },
      `with entry as (
         insert into platform.audit_log (clinic_id, id, actor_kind, actor_id, action, entity, entity_id, changes, ip, request_id)
         values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'operator', 'luz', 'clinic.moved', 'clinic', $1, $2, '', '') returning clinic_id, id)
       insert into platform.audit_pending (clinic_id, id) select * from entry`,
      [clinic, changes],
    );
  await record({ state: 'done', rows: 9, to: 'db2.example:5432' });
  await record({ state: 'done', rows: 9, from: 'db2.example:5432' }); // and back
  expect(await ops('verify-audit', '--heads', heads)).toMatchObject(missing);
  await record({ state: 'begun', to: 'db3.example:5432' });
  expect(await ops('verify-audit', '--heads', heads)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(new RegExp(`^clinic ${clinic}: moved to db3.example:5432 on \\S+, with its audit log$`, 'm')),
  });
  expect(readFileSync(heads, 'utf8')).not.toContain(clinic);
  expect(await ops('export-clinic', '--clinic', clinic, '--to', path.join(folder, 'moved.jsonl'))).toMatchObject({
    status: 1,
    stderr: 'The clinic was moved to db3.example:5432: run the command there.\n',
  });
});

test('a changed row of the audit log is detected', async () => {
  await linked();
  const heads = path.join(folder, 'heads.json');
  for (const text of ['{"ident', 'null', '{"format":1,"tables":[]}']) {
    writeFileSync(heads, text);
    expect(await ops('verify-audit', '--heads', heads)).toMatchObject({ status: 1, stderr: expect.stringContaining('has no heads of an earlier run') });
    expect(readFileSync(heads, 'utf8')).toBe(text);
  }
  writeFileSync(heads, '{}');
  linkSync(heads, `${heads}.before`);
  expect(await ops('verify-audit', '--heads', heads)).toMatchObject({ status: 0, stdout: expect.stringContaining('The audit log is intact.') });
  expect(Object.keys(JSON.parse(readFileSync(heads, 'utf8')))).toContainEqual(expect.stringMatching(/^identity\//));
  expect(readFileSync(`${heads}.before`, 'utf8')).toBe('{}'); // the file was replaced, not rewritten
  const [row] = await asOwner(
    { dataDir: folder },
    'select r.id, r.clinic_id, r.actor_id from identity.audit_log r join identity.audit_chain c on c.audit_id = r.id order by c.seq limit 1',
  );
  const setActor = (actor: string) => asOwner({ dataDir: folder }, 'update identity.audit_log set actor_id = $2 where id = $1', [row?.id, actor]);
  await setActor('nobody');
  expect(await ops('verify-audit')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining(`identity, clinic ${row?.clinic_id}: row ${row?.id} of link 1 was changed\n`),
  });
  await setActor(row?.actor_id);
});
