// A PostgreSQL primary and a synchronous standby that can be promoted. The steps of a tool like Patroni are made here: the standby is a copy made
// with the functions for a low-level backup, because the embedded binaries have no pg_basebackup.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, openSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../../lib/runtime/free-port.ts';
import { query, withClient } from '../../database.ts';
import { pidIn } from '../../dev/embedded/leftover.ts';
import { binaries, startPostgres } from '../../dev/embedded/postgres.ts';
import { ownFolder, type User, userFor } from '../../dev/embedded/unprivileged.ts';
import { familyOf, signal } from '../../processes.ts';
import { until } from '../../until.ts';

const STANDBY = 'standby';
const SETTINGS = ['wal_level=replica', 'max_wal_senders=4', 'max_connections=300'];

export type Pair = Awaited<ReturnType<typeof startPair>>;

export async function startPair(dataDir: string) {
  const primary = await startPostgres({ dataDir, settings: SETTINGS });
  const home = path.join(dataDir, 'standby');
  const user = userFor(path.join(dataDir, 'postgres'));
  const cluster = path.join(ownFolder(home, user), 'cluster');
  const source = path.join(dataDir, 'postgres/cluster');
  await copyCluster(primary.url, source, cluster);
  const port = await freePort();
  const standby = spawn(path.join(await binaries(user), 'postgres'), standbyArguments(cluster, port, primary.url), {
    cwd: home,
    stdio: ['ignore', openSync(path.join(dataDir, 'standby.log'), 'a'), openSync(path.join(dataDir, 'standby.log'), 'a')],
    ...(user as User | undefined),
  });
  const standbyUrl = Object.assign(new URL(primary.url), { port }).href;
  await query(primary.url, `alter system set synchronous_standby_names = '${STANDBY}'`);
  await query(primary.url, 'select pg_reload_conf()');
  const follows = () =>
    query(primary.url, `select from pg_stat_replication where sync_state = 'sync'`).then(
      ({ length }) => length === 1,
      () => false,
    );
  if (!(await until(follows, 30_000, 100))) throw new Error('the standby did not follow the primary within 30 seconds: see standby.log');
  return {
    /** The owner's URL of the primary. */
    url: primary.url,
    /** The owner's URL of the standby, which accepts writes after its promotion. */
    standbyUrl,
    async killPrimary() {
      signal(familyOf(pidIn(path.join(source, 'postmaster.pid'))), 'SIGKILL');
      await primary.stop(); // a restarted primary would be a second one
    },
    /** Resolves when the standby accepts writes. */
    promote: () => query(standbyUrl, 'select pg_promote(true, 30)'),
    async stop() {
      standby.kill('SIGQUIT');
      await primary.stop();
    },
  };
}

function standbyArguments(cluster: string, port: number, primary: string): string[] {
  const { hostname, port: primaryPort, username, password } = new URL(primary);
  const conninfo = `host=${hostname} port=${primaryPort} user=${username} password=${password} application_name=${STANDBY}`;
  const settings = [...SETTINGS, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', `primary_conninfo=${conninfo}`, `primary_slot_name=${STANDBY}`];
  return ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
}

/** Copies a running cluster. A replication slot makes the primary retain the WAL that the copy needs. */
async function copyCluster(url: string, source: string, cluster: string): Promise<void> {
  await withClient(url, async (client) => {
    // In one session, with which the backup would end.
    await client.query('select pg_create_physical_replication_slot($1, true)', [STANDBY]);
    await client.query('select pg_backup_start($1, true)', [STANDBY]);
    execFileSync('cp', ['-a', source, cluster]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    for (const left of ['postmaster.pid', 'postmaster.opts']) rmSync(path.join(cluster, left), { force: true });
    execFileSync('find', [path.join(cluster, 'pg_wal'), path.join(cluster, 'pg_replslot'), '-mindepth', '1', '-delete']);
    execFileSync('mkdir', ['-p', path.join(cluster, 'pg_wal/archive_status'), path.join(cluster, 'pg_wal/summaries')]);
    writeFileSync(path.join(cluster, 'backup_label'), rows[0]?.labelfile ?? '');
    writeFileSync(path.join(cluster, 'standby.signal'), '');
    if (existsSync('/bin/chown')) execFileSync('chown', ['-R', '--reference', source, cluster]);
  });
}
