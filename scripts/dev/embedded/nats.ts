// Runs a nats-server with JetStream. Its data folder remains when it is stopped.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { freePort } from '../../../lib/runtime/free-port.ts';
import { PROJECT } from '../../schemas.ts';
import { until } from '../../until.ts';
import { StartFault } from '../start-fault.ts';
import { supervise } from '../supervise.ts';
import { systemVariables } from '../system-variables.ts';
import { endLeftover } from './leftover.ts';
import { openLogFile } from './log-file.ts';
import { natsUrlOf, withPasswords } from './nats-passwords.ts';
import { findNatsServer } from './nats-server.ts';
import type { Embedded } from './postgres.ts';
import { watchNats } from './watch-nats.ts';

/** The user with whose rights the watch requests the state of the stream. */
const WATCHER = 'platform';

export type EmbeddedNats = Embedded & { urlOf(user: string): string };

/**
 * Starts nats-server on `<dataDir>/nats`, which is created if necessary, and on a free port of 127.0.0.1. Resolves when it accepts connections.
 * Each process has its own user; with `open`, there are no users and no restrictions.
 */
export async function startNats(options: { dataDir: string; startSeconds?: number; open?: boolean; print?: (line: string) => void }): Promise<EmbeddedNats> {
  const { dataDir, startSeconds = 180, open = false, print = () => {} } = options;
  const folder = path.resolve(dataDir, 'nats');
  const server = await findNatsServer(dataDir, print);
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  const configFile = path.join(folder, 'nats.conf');
  const pidFile = path.join(folder, 'nats.pid');
  await endLeftover(pidFile, configFile, ['SIGTERM', 'SIGKILL']);
  rmSync(pidFile, { force: true });

  const port = await freePort();
  writeFileSync(configFile, config({ port, folder, pidFile, open, sync: knowsSyncInterval(server) }));
  copyFileSync(path.join(PROJECT, 'deploy/nats/users.conf'), path.join(folder, 'users.conf'));
  const passwordFile = path.join(folder, 'passwords.conf');
  const passwords = withPasswords(existsSync(passwordFile) ? readFileSync(passwordFile, 'utf8') : '');
  writeFileSync(passwordFile, passwords, { mode: 0o600 });
  const log = openLogFile(path.join(dataDir, 'nats.log'));
  const supervised = supervise({
    name: 'NATS',
    // In its own process group, so that Ctrl-C reaches only this process, which stops NATS last.
    spawn: () => spawn(server, ['-c', configFile], { cwd: folder, env: systemVariables(), detached: true, stdio: ['ignore', log, log] }),
    print,
  });
  if (!(await until(() => greets(port), startSeconds * 1_000, 20))) {
    await supervised.stop();
    throw new StartFault(`NATS did not start within ${startSeconds} seconds (START_SECONDS): see ${path.join(dataDir, 'nats.log')}`);
  }
  const urlOf = (user: string) => natsUrlOf(user, `127.0.0.1:${port}`, passwords);
  const watch = watchNats({ supervised, url: urlOf(WATCHER), user: WATCHER, folder: dataDir });
  return {
    url: `nats://127.0.0.1:${port}`,
    urlOf,
    async stop() {
      await watch.stop();
      await supervised.stop();
    },
  };
}

function config({ port, folder, pidFile, open, sync }: { port: number; folder: string; pidFile: string; open: boolean; sync: boolean }): string {
  const { blocks, bsize } = statfsSync(folder);
  return [
    `listen: "127.0.0.1:${port}"`,
    `pid_file: ${JSON.stringify(pidFile)}`,
    'jetstream {',
    `  store_dir: ${JSON.stringify(folder)}`,
    // Beyond this limit NATS refuses events, which then wait in the outboxes.
    `  max_file_store: ${Math.floor((blocks * bsize) / 2)}`,
    // Without this setting, a power failure can lose acknowledged messages. Older servers reject the setting.
    ...(sync ? ['  sync_interval: always'] : []),
    '}',
    ...(open ? [] : ['include ./users.conf']),
    '',
  ].join('\n');
}

function knowsSyncInterval(server: string): boolean {
  const [, major = '0', minor = '0'] = /v(\d+)\.(\d+)/.exec(execFileSync(server, ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 10);
}

/** Whether NATS accepts connections: it then sends a line that begins with INFO. */
export function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', (data) => end(data.toString().startsWith('INFO ')));
    socket.once('error', () => end(false));
    socket.setTimeout(1_000, () => end(false));
  });
}
