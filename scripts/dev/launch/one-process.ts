// Runs all services and the gateway in this process, where calls between them are function calls.
import { stopTogether } from '@clinic/lib/background/stop.ts';
import { databaseUrls } from '@clinic/lib/db/migrate.ts';
import { type RunningService, startService } from '@clinic/lib/runtime/service.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { startTracing } from '@clinic/lib/telemetry/start-tracing.ts';
import type { Transport } from '@connectrpc/connect';
import { loadModules } from './modules.ts';
import type { Topology } from './topology.ts';

export const oneProcess: Topology = async ({ settings, stores, running }) => {
  running.push(await startTracing('all', settings));
  const services = new Map<string, RunningService>();
  const all = Promise.withResolvers<void>();
  const own = (schema: string) => ({ ...settings, ...databaseUrls(stores.ownerUrl, schema), NATS_URL: stores.natsUrl(schema) });
  const transport = (name: string) => lateTransport(name, services, all.promise);

  // The other services report to identity how they were used until they stop.
  running.push({ stop: async () => services.get('identity')?.stop() });
  running.push({ stop: () => stopTogether([...services].flatMap(([name, service]) => (name === 'identity' ? [] : [service]))) });
  const [modules, { startGateway }] = await Promise.all([loadModules(), import('@clinic/gateway/service.ts')]);
  const started = await Promise.allSettled(
    modules.map(async (module) => {
      const service = await startService(module, { settings: own(module.name), transportTo: transport });
      services.set(module.name, service);
    }),
  );
  all.resolve();
  for (const outcome of started) if (outcome.status === 'rejected') throw outcome.reason;
  const gateway = await startGateway({ settings: own('gateway'), transport, log: createLog('gateway', settings.LOG_LEVEL) });
  running.push(gateway);
  return { url: settings.PUBLIC_URL ?? `http://localhost:${gateway.port}`, adminUrl: `http://localhost:${gateway.adminPort}`, transport };
};

/** The transport to a service that may start after its caller. Calls wait until it has started. */
function lateTransport(name: string, services: Map<string, RunningService>, all: Promise<void>): Transport {
  const started = async () => {
    if (!services.has(name)) await all;
    const service = services.get(name);
    if (!service) throw new Error(`no service is named ${name}`);
    return service.transport;
  };
  return { unary: async (...call) => (await started()).unary(...call), stream: async (...call) => (await started()).stream(...call) };
}
