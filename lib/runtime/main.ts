// Starts and stops a service as a process; every main.ts uses it.
import { z } from 'zod';
import type { Stoppable } from '../background/stop.ts';
import { commonSettings, port, readSettings, SettingsError } from '../config/config.ts';
import { misspelledSettings } from '../config/misspelled.ts';
import { assertionSettings, callSettings } from '../rpc/call-keys.ts';
import { openCredentials } from '../rpc/credentials.ts';
import { grpcTransport } from '../rpc/grpc-client.ts';
import { tlsSettings } from '../rpc/tls.ts';
import { createLog } from '../telemetry/log.ts';
import { watchOutage } from '../telemetry/outages.ts';
import { startTracing } from '../telemetry/start-tracing.ts';
import { afterStart } from './after-start.ts';
import type { ServiceModule } from './service.ts';
import { StartError } from './until-available.ts';

export const listenSettings = {
  RPC_HOST: z.string().default('0.0.0.0'),
  RPC_PORT: port(7000),
  OPS_PORT: port(7001),
  ...callSettings,
  ...assertionSettings,
  ...tlsSettings,
};

/** The setting with the address of a service: IDENTITY_ADDRESS for `identity`, for example `dns:///identity:7000`. */
export const addressSetting = (service: string) => `${service.toUpperCase()}_ADDRESS`;

/** The shape of the settings with the addresses of these services. */
export function addressSettings(services: string[]) {
  return Object.fromEntries(services.map((service) => [addressSetting(service), z.string()]));
}

/** Jobs wait at most this long for the services that they call. */
const DEPENDENCIES_MS = 20_000;

/** Runs a service in its own process until SIGTERM or SIGINT. */
// biome-ignore lint/suspicious/noExplicitAny: services have different settings, which are only passed on here
export async function runService(module: ServiceModule<any>): Promise<void> {
  await runUntilSignal(async () => {
    const shape = { ...module.settings, ...addressSettings(module.dependencies), ...commonSettings, ...listenSettings };
    const settings = readSettings(shape as typeof commonSettings & typeof listenSettings, process.env);
    const address = (name: string) => (settings as Record<string, unknown>)[addressSetting(name)] as string;
    const traces = await startTracing(module.name, settings);
    const log = createLog(module.name, settings.LOG_LEVEL);
    for (const complaint of misspelledSettings(Object.keys(shape), process.env)) log.warn({}, complaint);
    const at = { host: settings.RPC_HOST, addresses: module.dependencies.map(address) };
    const credentials = openCredentials(module.name, settings, at, log);
    const connect = (name: string) => grpcTransport(name, address(name), credentials, watchOutage(log, name, address(name)));
    const transports = new Map(module.dependencies.map((name) => [name, connect(name)]));
    const { startService } = await import('./service.ts'); // the gateway uses the rest of this module, and has no jobs and consumers
    const service = await startService(module, {
      settings,
      log,
      dependencies: Promise.all([...transports.values()].map((transport) => transport.connected(DEPENDENCIES_MS))),
      transportTo: (name) => {
        const transport = transports.get(name);
        if (!transport) throw new Error(`${module.name} calls ${name}, which is not among the dependencies in its settings.ts`);
        return transport;
      },
      listen: { host: settings.RPC_HOST, rpcPort: settings.RPC_PORT, opsPort: settings.OPS_PORT, credentials },
    });
    return {
      async stop() {
        await service.stop();
        for (const transport of transports.values()) transport.close();
        credentials.tls?.stop();
        await traces.stop();
      },
    };
  });
}

/** Maximum time for stopping; shorter than the 25 or 30 seconds after which an orchestrator kills the process. */
const GRACE_MS = 24_000;

/**
 * Calls `start`; on SIGTERM or SIGINT stops what it returned and ends the process. When `start` fails, prints the error, without its stack if it is a
 * SettingsError or StartError, and exits with 1.
 */
export async function runUntilSignal(start: () => Promise<Stoppable>): Promise<void> {
  const starting = start();
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    await (await starting).stop();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
  try {
    await starting;
    afterStart();
  } catch (error) {
    console.error(error instanceof SettingsError || error instanceof StartError ? error.message : error);
    process.exit(1);
  }
}
