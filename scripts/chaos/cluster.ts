// Starts two copies of each process on loopback, as on two machines. PostgreSQL, NATS and a simulated chat provider are behind proxies that can be
// interrupted. A restarted process gets the same ports, so that its clients reach it again.
import { gatewaySettings } from '@clinic/gateway/settings.ts';
import { type Stoppable, stopAll } from '@clinic/lib/background/stop.ts';
import { commonSettings, encryptionKeyRing, keyRing } from '@clinic/lib/config/config.ts';
import { serviceKeySetting } from '@clinic/lib/crypto/service-keys.ts';
import { databaseUrls, migrate } from '@clinic/lib/db/migrate.ts';
import { callKeysOf } from '@clinic/lib/rpc/call-keys.ts';
import { addressSetting } from '@clinic/lib/runtime/main.ts';
import { freePort } from '../../lib/runtime/free-port.ts';
import { startSimulator } from '../dev/chat-simulator/server.ts';
import { startNats } from '../dev/embedded/nats.ts';
import { startPostgres } from '../dev/embedded/postgres.ts';
import { withStoredSecrets } from '../dev/launch/secrets.ts';
import { declaredServices } from '../dev/launch/settings.ts';
import { UNLIMITED } from '../dev/product.ts';
import { pick, SYSTEM_VARIABLES, systemVariables } from '../dev/system-variables.ts';
import { openWire, type Wire } from '../dev/wire.ts';
import { schemaSources } from '../schemas.ts';
import { processOf } from './process.ts';

const RINGS = ['ENCRYPTION_KEYS', 'INTERNAL_KEYS', 'JWT_PRIVATE_KEYS'] as const;
export type Rings = Record<(typeof RINGS)[number], string>;

export type Cluster = Awaited<ReturnType<typeof start>>;

/** PostgreSQL and NATS, the proxies through which the processes reach them, and additional settings of the processes. */
export type Stores = { ownerUrl: string; natsUrlOf(user: string): string; postgres: Wire; nats: Wire; settings?: Record<string, string> };

type StartStores = (dataDir: string, running: Stoppable[]) => Promise<Stores>;

/** Starts everything on `dataDir`, which must exist: two copies of each process, or two of those in `twice` and one of the others. */
export async function startCluster(dataDir: string, { twice, stores = startStores }: { twice?: string[]; stores?: StartStores } = {}): Promise<Cluster> {
  const running: Stoppable[] = [];
  try {
    return await start(dataDir, running, stores, (service) => (!twice || twice.includes(service) ? 2 : 1));
  } catch (error) {
    await stopAll(running);
    throw error;
  }
}

async function startStores(dataDir: string, running: Stoppable[]): Promise<Stores> {
  const [database, broker] = await Promise.all([startPostgres({ dataDir, fleeting: true }), startNats({ dataDir })]);
  running.push(database, broker);
  const [postgres, nats] = [await openWire(addressOf(database.url)), await openWire(addressOf(broker.url))];
  running.push(postgres, nats);
  return { ownerUrl: database.url, natsUrlOf: broker.urlOf, postgres, nats };
}

async function start(dataDir: string, running: Stoppable[], startStores: StartStores, copies: (service: string) => number) {
  const { ownerUrl, natsUrlOf, postgres, nats, settings: extra } = await startStores(dataDir, running);
  await migrate(ownerUrl, schemaSources());
  const secrets = withStoredSecrets({}, dataDir);
  /** Signs deliveries of the chat provider. */
  const appSecret = secrets.CHAT_APP_SECRET ?? '';
  const declared = await declaredServices();
  /** The key rings that processes receive at their next start. */
  const rings = Object.fromEntries(RINGS.map((name) => [name, secrets[name] ?? ''])) as Rings;
  const programs = [...declared.map(({ name }) => name), 'gateway'];
  const portsOf = (program: string) => Array.fromAsync({ length: copies(program) }, async () => [await freePort(), await freePort()] as const);
  const gateways = (await portsOf('gateway')).map(([port, adminPort]) => ({ port, adminPort }));
  const simulator = await startSimulator({ port: 0, webhookUrl: `http://127.0.0.1:${gateways[0]?.port}/webhooks/chat`, secret: appSecret });
  const provider = await openWire(addressOf(simulator.url));
  running.push(simulator, provider);

  const ports = new Map<string, (readonly [rpc: number, ops: number])[]>();
  for (const { name } of declared) ports.set(name, await portsOf(name));
  const address = (name: string) => `ipv4:${(ports.get(name) ?? []).map(([rpc]) => `127.0.0.1:${rpc}`).join(',')}`;
  const all = (): NodeJS.ProcessEnv => ({
    ...secrets,
    ...rings,
    ...UNLIMITED,
    ...Object.fromEntries(declared.map(({ name }) => [addressSetting(name), address(name)])),
    NODE_ENV: 'production',
    LOG_LEVEL: process.env.LOG_LEVEL || 'fatal',
    CHAT_API_BASE_URL: `http://127.0.0.1:${provider.port}`,
    DATABASE_POOL: '5',
    DATA_DIR: dataDir,
    DRAIN_SECONDS: '2',
    HOST: '127.0.0.1',
    RPC_HOST: '127.0.0.1',
    ...systemVariables(),
    ...extra,
  });
  const own = (role: string, names: string[]) => ({
    ...pick(all(), [...SYSTEM_VARIABLES, ...names, 'RPC_HOST']),
    ...callKeysOf(keyRing.parse(rings.INTERNAL_KEYS), role, programs),
    ...Object.fromEntries(Object.entries(databaseUrls(ownerUrl, role)).map(([name, url]) => [name, onPort(url, postgres.port)])),
    NATS_URL: onPort(natsUrlOf(role), nats.port),
  });

  const services = declared.flatMap(({ name, settings, dependencies }) =>
    (ports.get(name) ?? []).map(([rpc, ops], copy) => {
      const names = [...Object.keys(settings), ...Object.keys(commonSettings), ...dependencies.map(addressSetting)];
      const ofService = () => ({ ENCRYPTION_KEYS: serviceKeySetting(encryptionKeyRing.parse(rings.ENCRYPTION_KEYS), name) });
      const env = () => ({ ...own(name, names), ...ofService(), RPC_PORT: String(rpc), OPS_PORT: String(ops) });
      return processOf({ name: `${name}-${copy + 1}`, service: name, program: `services/${name}/main.ts`, env, opsPort: ops });
    }),
  );
  const gatewayProcesses = gateways.map(({ port, adminPort }, copy) => {
    const names = [...Object.keys(gatewaySettings), ...declared.map(({ name }) => addressSetting(name))];
    const env = () => ({ ...own('gateway', names), PORT: String(port), ADMIN_PORT: String(adminPort) });
    return processOf({ name: `gateway-${copy + 1}`, service: 'gateway', program: 'gateway/main.ts', env, opsPort: adminPort });
  });
  const processes = [...services, ...gatewayProcesses];
  running.push({ stop: () => Promise.all(processes.map((one) => one.end())) });
  // Two at a time, so that a small machine is not overloaded.
  const waiting = processes.values();
  const startInTurn = async () => {
    for (const one of waiting) await one.start();
  };
  await Promise.all([startInTurn(), startInTurn()]);
  const operatorKey = secrets.SUPERADMIN_KEYS?.split(':')[1] ?? '';
  return { processes, gateways, ownerUrl, operatorKey, rings, appSecret, postgres, nats, provider, stop: () => stopAll(running) };
}

export const addressOf = (url: string) => ({ host: '127.0.0.1', port: Number(new URL(url).port) });

function onPort(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.toString();
}
