// Runs each service and the gateway as separate processes on loopback, connected by gRPC. Each process receives only the settings that it declares,
// and the database URLs of its own roles. A process that ends unexpectedly is restarted.
import path from 'node:path';
import { gatewaySettings } from '@clinic/gateway/settings.ts';
import { type Stoppable, stopTogether } from '@clinic/lib/background/stop.ts';
import { commonSettings } from '@clinic/lib/config/config.ts';
import { serviceKeySetting } from '@clinic/lib/crypto/service-keys.ts';
import { databaseUrls } from '@clinic/lib/db/migrate.ts';
import { callKeysOf } from '@clinic/lib/rpc/call-keys.ts';
import { addressSetting } from '@clinic/lib/runtime/main.ts';
import { freePort } from '../../../lib/runtime/free-port.ts';
import { spawnNode } from '../../spawn-node.ts';
import { isOk, until } from '../../until.ts';
import { gatewayTransports } from '../seed-transports.ts';
import { StartFault } from '../start-fault.ts';
import { supervise } from '../supervise.ts';
import { pick, SYSTEM_VARIABLES } from '../system-variables.ts';
import { writeCertificates } from './certificates.ts';
import { localHost } from './exposure.ts';
import type { Topology } from './topology.ts';

type Ports = { rpc: number; ops: number };

export const manyProcesses: Topology = async ({ services, settings, env, stores, running, print }) => {
  const names = services.map((service) => service.name);
  const ports = new Map<string, Ports>();
  for (const name of names) ports.set(name, { rpc: await portFor(name, 'RPC_PORT', env), ops: await portFor(name, 'OPS_PORT', env) });
  const address = (name: string) => `dns:///127.0.0.1:${ports.get(name)?.rpc}`;
  const addresses = (of: string[]) => Object.fromEntries(of.map((name) => [addressSetting(name), address(name)]));

  const processes = [...names, 'gateway'];
  const tlsOf = await writeCertificates(path.join(settings.DATA_DIR, 'tls'), processes);
  const secretsOf = (name: string) => ({ ...callKeysOf(settings.INTERNAL_KEYS, name, processes), ...tlsOf(name) });

  const started: Stoppable[] = [];
  running.push({ stop: () => stopTogether(started) });
  for (const { name, settings: shape, dependencies } of services) {
    const { rpc, ops } = ports.get(name) as Ports;
    const own = {
      ...databaseUrls(stores.ownerUrl, name),
      ENCRYPTION_KEYS: serviceKeySetting(settings.ENCRYPTION_KEYS, name),
      NATS_URL: stores.natsUrl(name),
      RPC_HOST: '127.0.0.1',
      RPC_PORT: String(rpc),
      OPS_PORT: String(ops),
      ...addresses(dependencies),
      ...secretsOf(name),
    };
    started.push(
      start(name, `services/${name}/main.ts`, { ...pick(env, [...SYSTEM_VARIABLES, ...Object.keys(commonSettings), ...Object.keys(shape)]), ...own }),
    );
  }
  await Promise.all(names.map((name) => untilReady(name, `http://127.0.0.1:${ports.get(name)?.ops}/readyz`, settings.START_SECONDS)));
  for (const name of names) print(`  ${name.padEnd(10)}  gRPC 127.0.0.1:${ports.get(name)?.rpc}  ops http://127.0.0.1:${ports.get(name)?.ops}`);

  running.push(
    start('gateway', 'gateway/main.ts', {
      ...pick(env, [...SYSTEM_VARIABLES, ...Object.keys(gatewaySettings)]),
      ...addresses(names),
      ...secretsOf('gateway'),
      DATABASE_URL: databaseUrls(stores.ownerUrl, 'gateway').DATABASE_URL,
      NATS_URL: stores.natsUrl('gateway'),
    }),
  );
  const adminUrl = `http://localhost:${settings.ADMIN_PORT}`;
  await untilReady('gateway', `http://${localHost(settings.HOST)}:${settings.ADMIN_PORT}/readyz`, settings.START_SECONDS);

  const gateway = gatewayTransports(address, { ...env, ...secretsOf('gateway') });
  running.push({
    stop: async () => {
      gateway.close();
    },
  });
  return { url: settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`, adminUrl, transport: gateway.transport };

  function start(name: string, program: string, childEnv: NodeJS.ProcessEnv) {
    return supervise({
      name,
      // In its own process group, so that Ctrl-C reaches only this process.
      spawn: () => spawnNode(program, { env: childEnv, detached: true }),
      print,
    });
  }
};

/** The port set by, for example, `SCHEDULING_RPC_PORT` or `SCHEDULING_OPS_PORT`; by default a free one. */
async function portFor(service: string, which: 'RPC_PORT' | 'OPS_PORT', env: NodeJS.ProcessEnv): Promise<number> {
  return Number(env[`${service.toUpperCase()}_${which}`]) || freePort();
}

async function untilReady(name: string, url: string, seconds: number): Promise<void> {
  if (await until(() => isOk(url), seconds * 1_000, 50)) return;
  throw new StartFault(`${name} did not become ready within ${seconds} seconds (START_SECONDS): see its log lines above, or set LOG_LEVEL=info`);
}
