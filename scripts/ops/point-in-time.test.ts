// A database with archived WAL is restored to a time between two changes with the steps of docs/operations.md, and the product runs on it.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Api, apiAt, expectStatus } from '../../e2e/api.ts';
import { runScript } from '../../e2e/setup/ops.ts';
import { type Embedded, startPostgres } from '../dev/embedded/postgres.ts';
import { usePreparedPostgres } from '../dev/prepared-postgres.ts';
import { type Product, startProduct } from '../dev/product.ts';
import { tempFolder } from '../dev/temp-folder.ts';

const [before, after, archive, base] = [tempFolder('pitr-before'), tempFolder('pitr-after'), tempFolder('pitr-archive'), tempFolder('pitr-base')];
const running: { stop(): Promise<void> }[] = [];
afterAll(async () => {
  for (const one of running.reverse()) await one.stop();
  for (const folder of [before, after, archive, base]) rmSync(folder, { recursive: true, force: true });
});

async function start<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  running.push(started);
  return started;
}

async function asOwner<T>(database: Embedded, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function signIn({ api: { baseUrl, operatorKey, demo } }: Product): Promise<{ api: Api; token: string }> {
  const api = apiAt({ baseUrl, operatorKey });
  return { api, token: (await expectStatus(200, api.post('/api/auth/login', demo))).body.access_token };
}

/** Creates files that PostgreSQL must own. When root runs the test, PostgreSQL runs as another user. */
const giveTo = (name: string) => {
  const { uid, gid } = statSync(path.dirname(name));
  chownSync(name, uid, gid);
};
const mkdirLike = (folder: string) => {
  mkdirSync(folder, { mode: 0o700 });
  giveTo(folder);
};
const writeLike = (file: string, text: string) => {
  writeFileSync(file, text, { mode: 0o600 });
  giveTo(file);
};

/** Copies the cluster while it is in use, like pg_basebackup, which is not among the embedded programs. */
const copyCluster = (database: Embedded) =>
  asOwner(database, async (client) => {
    await client.query(`select pg_backup_start('base', true)`);
    execFileSync('cp', ['-a', `${path.join(before, 'postgres/cluster')}/.`, base]);
    for (const name of ['pg_wal', 'postmaster.pid', 'postmaster.opts']) rmSync(path.join(base, name), { recursive: true, force: true });
    mkdirLike(path.join(base, 'pg_wal'));
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    writeLike(path.join(base, 'backup_label'), rows[0]?.labelfile ?? '');
  });

test('the product runs on the state of an earlier time', async () => {
  chmodSync(archive, 0o777);
  const archiving = ['archive_mode=on', `archive_command=test ! -f ${archive}/%f && cp %p ${archive}/%f`, 'full_page_writes=on'];
  usePreparedPostgres(before, process.env); // its own setting of full_page_writes is off
  const damaged = await start(startPostgres({ dataDir: before, settings: archiving }));
  let product = await startProduct('single', { DATA_DIR: before, DATABASE_URL: damaged.url, DEMO_SEED: 'true' });
  running.push({ stop: () => product.stop() });
  const { api, token } = await signIn(product);
  const add = async (fullName: string, phone: string) => (await expectStatus(201, api.post('/api/patients', { fullName, phone }, { token }))).body.id as string;
  const inBase = await add('Antes de la copia', '+50370000001');
  await copyCluster(damaged);
  const inArchive = await add('Después de la copia', '+50370000002');
  const moment = await asOwner(damaged, async (client) => (await client.query<{ now: string }>('select clock_timestamp()::text as now')).rows[0]?.now ?? '');
  const tooLate = await add('Después del momento', '+50370000003');
  const last = await asOwner(
    damaged,
    async (client) => (await client.query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file')).rows[0]?.file,
  );
  await waitFor(() => existsSync(path.join(archive, last ?? '')));
  await product.stop();
  await damaged.stop();

  execFileSync('cp', ['-a', path.join(before, 'postgres'), after]);
  const restoredCluster = path.join(after, 'postgres/cluster');
  rmSync(restoredCluster, { recursive: true });
  execFileSync('cp', ['-a', base, restoredCluster]);
  writeLike(path.join(restoredCluster, 'recovery.signal'), '');
  const recovery = [`restore_command=cp ${archive}/%f %p`, `recovery_target_time=${moment}`, 'recovery_target_action=promote'];
  const restored = await start(startPostgres({ dataDir: after, settings: recovery }));
  await waitFor(() =>
    asOwner(
      restored,
      async (client) => (await client.query<{ recovering: boolean }>('select pg_is_in_recovery() as recovering')).rows[0]?.recovering === false,
    ),
  );

  for (const file of ['secrets.env', 'demo.json']) copyFileSync(path.join(before, file), path.join(after, file));
  product = await startProduct('single', { DATA_DIR: after, DATABASE_URL: restored.url });
  const again = await signIn(product);
  const statusOf = async (id: string) => (await again.api.get(`/api/patients/${id}`, { token: again.token })).status;
  expect([await statusOf(inBase), await statusOf(inArchive), await statusOf(tooLate)]).toEqual([200, 200, 404]);
  expect(await runScript(after, 'ops', 'verify-audit')).toMatchObject({ status: 0, stdout: expect.stringContaining('The audit log is intact.') });
});
