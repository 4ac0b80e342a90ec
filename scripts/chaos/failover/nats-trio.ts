// Three nats-servers that replicate the event stream.
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { STREAM } from '@clinic/lib/events/nats.ts';
import { connect } from 'nats';
import { freePort } from '../../../lib/runtime/free-port.ts';
import { greets } from '../../dev/embedded/nats.ts';
import { natsUrlOf, withPasswords } from '../../dev/embedded/nats-passwords.ts';
import { findNatsServer } from '../../dev/embedded/nats-server.ts';
import { PROJECT } from '../../schemas.ts';
import { hasEnded } from '../../spawn-node.ts';
import { until } from '../../until.ts';

const NAMES = ['n1', 'n2', 'n3'];

type Server = { name: string; port: number; route: number; child?: ChildProcess };

export type Trio = Awaited<ReturnType<typeof startTrio>>;

export async function startTrio(dataDir: string) {
  const program = await findNatsServer(dataDir, () => {});
  const servers: Server[] = [];
  for (const name of NAMES) servers.push({ name, port: await freePort(), route: await freePort() });
  const folder = path.join(dataDir, 'nats');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const passwords = withPasswords('');
  writeFileSync(path.join(folder, 'passwords.conf'), passwords, { mode: 0o600 });
  copyFileSync(path.join(PROJECT, 'deploy/nats/users.conf'), path.join(folder, 'users.conf'));
  const routes = servers.map(({ route }) => `"nats-route://127.0.0.1:${route}"`).join(', ');

  const start = (server: Server) => {
    const { name, port, route } = server;
    const file = path.join(folder, `${name}.conf`);
    const config = [
      `server_name: ${name}`,
      `listen: "127.0.0.1:${port}"`,
      `jetstream { store_dir: ${JSON.stringify(path.join(folder, name))} }`,
      `cluster { name: clinic, listen: "127.0.0.1:${route}", routes: [${routes}], no_advertise: true }`,
      'include ./users.conf',
    ];
    writeFileSync(file, `${config.join('\n')}\n`);
    const log = openSync(path.join(dataDir, `nats-${name}.log`), 'a');
    server.child = spawn(program, ['-c', file], { cwd: folder, stdio: ['ignore', log, log] });
  };
  for (const server of servers) start(server);
  const isUp = ({ child }: Server) => child !== undefined && !hasEnded(child);
  const any = () => servers.find(isUp) ?? (servers[0] as Server);
  const urlOf = (user: string) => natsUrlOf(user, `127.0.0.1:${any().port}`, passwords);

  for (const { port } of servers) if (!(await until(() => greets(port), 30_000, 100))) throw new Error('nats-server did not start within 30 seconds');
  return {
    urlOf,
    /** The address of a running server. */
    address: () => ({ host: '127.0.0.1', port: any().port }),
    /** Kills the leader of the stream and returns its name. */
    async killLeader() {
      const leader = await findLeader(urlOf('platform'));
      servers.find(({ name }) => name === leader)?.child?.kill('SIGKILL');
      return leader;
    },
    /** Starts the servers that were killed. */
    async repair() {
      for (const server of servers.filter((one) => !isUp(one))) start(server);
    },
    async stop() {
      for (const { child } of servers) child?.kill('SIGKILL');
    },
  };
}

async function findLeader(url: string): Promise<string> {
  const { host, username, password } = new URL(url);
  const connection = await connect({ servers: host, user: username, pass: password, inboxPrefix: `_INBOX.${username}` });
  try {
    const stream = await (await connection.jetstreamManager({ checkAPI: false })).streams.info(STREAM);
    if (stream.config.num_replicas !== NAMES.length) throw new Error(`the event stream has ${stream.config.num_replicas} replicas`);
    return stream.cluster?.leader ?? '';
  } finally {
    await connection.close();
  }
}
