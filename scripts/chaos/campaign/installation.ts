// An installation as `npm start` or `npm run start:distributed` starts it, on ports and a data folder of its own, with a simulated chat
// provider outside of it. Faults reach its processes by their ids.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../../lib/runtime/free-port.ts';
import { startSimulator } from '../../dev/chat-simulator/server.ts';
import { library, type MovedClock, movedClock } from '../../dev/moved-clock.ts';
import { type Product, startProduct } from '../../dev/product.ts';
import { isRunning, tempFolder } from '../../dev/temp-folder.ts';

export type Topology = Product['api']['topology'];
export type Found = { name: string; pid: number };

export type Installation = {
  topology: Topology;
  url: string;
  adminUrl: string;
  operatorKey: string;
  paymentsSecret: string;
  /** Signs deliveries of the chat provider. */
  chatSecret: string;
  dataDir: string;
  simulatorUrl: string;
  /** Absent where libfaketime is not installed. */
  clock: MovedClock | undefined;
  /** Whether the data folder is a file system of its own, which a fault may fill. */
  ownDisk: boolean;
  ownerUrl(): string;
  /** The processes of the product by name; in one process there is only `product`. */
  processes(): Found[];
  /** The first process of PostgreSQL or NATS; undefined while it does not run. */
  store(name: 'postgres' | 'nats'): number | undefined;
  /** The process that started all others. */
  launcher(): number | undefined;
  /** What the product has printed. */
  output(): string;
  /** Starts the product again after its launcher was killed. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

const DISKS = path.join(os.tmpdir(), 'clinic-campaign-disks');
const DISK_SIZE = '3g';
const PLANS = JSON.stringify({ 222: { plan: 'clinica', cycle: 'month' } });

export async function startInstallation(topology: Topology): Promise<Installation> {
  const folder = tempFolder('campaign');
  const { dataDir, ownDisk } = makeDataFolder(folder);
  const [chatSecret, paymentsSecret] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const [port, adminPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const simulator = await startSimulator({ port: 0, webhookUrl: `${url}/webhooks/chat`, secret: chatSecret });
  const clock = library ? movedClock(folder, new Date().toISOString()) : undefined;
  // Says that the demo clinic has been made already, so that the figures begin at nothing.
  writeFileSync(path.join(dataDir, 'demo.json'), JSON.stringify({ email: '', password: '', done: true }));
  const start = () =>
    startProduct(topology, {
      ...clock?.env,
      CHAT_API_BASE_URL: simulator.url,
      CHAT_APP_SECRET: chatSecret,
      DATA_DIR: dataDir,
      ADMIN_PORT: String(adminPort),
      PAYMENTS_WEBHOOK_SECRET: paymentsSecret,
      PAYMENTS_VARIANTS: PLANS,
      PORT: String(port),
    });
  const release = async () => {
    await simulator.stop();
    if (ownDisk) unmount(dataDir);
    rmSync(folder, { recursive: true, force: true });
  };
  let product = await start().catch(async (error) => {
    await release();
    throw error;
  });
  let printed = '';

  return {
    topology,
    url,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    operatorKey: product.api.operatorKey,
    paymentsSecret,
    chatSecret,
    dataDir,
    simulatorUrl: simulator.url,
    clock,
    ownDisk,
    ownerUrl() {
      const home = path.join(dataDir, 'postgres');
      const port = readFileSync(path.join(home, 'cluster/postmaster.pid'), 'utf8').split('\n')[3];
      return `postgres://clinic_owner:${readFileSync(path.join(home, 'password'), 'utf8').trim()}@127.0.0.1:${port}/clinic`;
    },
    processes: () => (topology === 'single' ? [{ name: 'product', pid: product.child.pid as number }] : childrenOf(product.child.pid as number)),
    store(name) {
      const file = path.join(dataDir, name === 'postgres' ? 'postgres/cluster/postmaster.pid' : 'nats/nats.pid');
      const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
      return pid && isRunning(pid) ? pid : undefined;
    },
    launcher: () => product.child.pid,
    output: () => printed + product.output(),
    async restart() {
      if (product.child.exitCode === null && product.child.signalCode === null) await once(product.child, 'exit');
      printed += product.output();
      product = await start();
    },
    async stop() {
      await product.stop();
      await release();
    },
  };
}

/** For root a small disk of its own, outside of the temporary folder: other runs delete those of killed runs, and could not delete a mounted one. */
function makeDataFolder(folder: string): { dataDir: string; ownDisk: boolean } {
  for (const left of existsSync(DISKS) ? readdirSync(DISKS) : []) if (!isRunning(Number(left))) unmount(path.join(DISKS, left));
  const disk = path.join(DISKS, String(process.pid));
  if (process.getuid?.() === 0) {
    mkdirSync(disk, { recursive: true, mode: 0o711 });
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE},mode=0711`, 'none', disk]).status === 0) return { dataDir: disk, ownDisk: true };
    rmSync(disk, { recursive: true });
  }
  const dataDir = path.join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o711 });
  return { dataDir, ownDisk: false };
}

function unmount(disk: string): void {
  spawnSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
}

function childrenOf(parent: number): Found[] {
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(parent)], { encoding: 'utf8' });
  return [...lines.matchAll(/^\s*(\d+) .*\/(?:services\/)?(\w+)\/main\.ts$/gm)].map(([, pid, name = '']) => ({ name, pid: Number(pid) }));
}
