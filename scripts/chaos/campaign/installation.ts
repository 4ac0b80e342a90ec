// An installation started as by `npm start` or `npm run start:distributed`, on its own ports and data folder. Its simulated chat provider runs
// outside it. Faults reach its processes by their ids.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../../lib/runtime/free-port.ts';
import { startSimulator } from '../../dev/chat-simulator/server.ts';
import { withoutDemo } from '../../dev/demo/file.ts';
import { pidIn } from '../../dev/embedded/leftover.ts';
import { embeddedUrl } from '../../dev/embedded/postgres.ts';
import { library, movedClock } from '../../dev/moved-clock.ts';
import { type Product, startProduct } from '../../dev/product.ts';
import { isRunning, tempFolder } from '../../dev/temp-folder.ts';
import { servicesBelow } from '../../processes.ts';
import { hasEnded } from '../../spawn-node.ts';

export type Topology = Product['api']['topology'];
export type Installation = Awaited<ReturnType<typeof startInstallation>>;

const DISKS = path.join(os.tmpdir(), 'clinic-campaign-disks');
const DISK_SIZE = '3g';
const PLANS = JSON.stringify({ 222: { plan: 'clinica', cycle: 'month' } });

export async function startInstallation(topology: Topology) {
  const folder = tempFolder('campaign');
  const { dataDir, ownDisk } = makeDataFolder(folder);
  const [chatSecret, paymentsSecret] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const [port, adminPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const simulator = await startSimulator({ port: 0, webhookUrl: `${url}/webhooks/chat`, secret: chatSecret });
  const clock = library ? movedClock(folder, new Date().toISOString()) : undefined;
  withoutDemo(dataDir); // so that no clinic exists and all figures start at zero
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
    /** Signs deliveries of the chat provider. */
    chatSecret,
    dataDir,
    simulatorUrl: simulator.url,
    /** Absent where libfaketime is not installed. */
    clock,
    /** Whether the data folder is a separate file system, which a fault may fill. */
    ownDisk,
    ownerUrl: () => embeddedUrl(dataDir) ?? '',
    /** The processes of the product by name; in one process there is only `product`. */
    processes() {
      const pid = product.child.pid as number;
      return topology === 'single' ? [{ name: 'product', pid }] : servicesBelow(pid);
    },
    /** The first process of PostgreSQL or NATS; undefined while it does not run. */
    store(name: 'postgres' | 'nats'): number | undefined {
      const pid = pidIn(path.join(dataDir, name === 'postgres' ? 'postgres/cluster/postmaster.pid' : 'nats/nats.pid'));
      return pid && isRunning(pid) ? pid : undefined;
    },
    /** The id of the process that started all others. */
    launcher: () => product.child.pid,
    /** What the product has printed. */
    output: () => printed + product.output(),
    /** Restarts the product after its launcher was killed. */
    async restart() {
      if (!hasEnded(product.child)) await once(product.child, 'exit');
      printed += product.output();
      product = await start();
    },
    async stop() {
      await product.stop();
      await release();
    },
  };
}

/**
 * Root gets a small separate disk. It is outside the temporary folder, because later runs delete the temporary folders of killed runs and could
 * not delete a mounted one.
 */
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
