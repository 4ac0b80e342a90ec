// Runs the gateway as its own process; the addresses of the services come from the environment.
import { readSettings } from '@clinic/lib/config/config.ts';
import { misspelledSettings } from '@clinic/lib/config/misspelled.ts';
import { openCredentials } from '@clinic/lib/rpc/credentials.ts';
import { grpcTransport } from '@clinic/lib/rpc/grpc-client.ts';
import { addressSetting, addressSettings, runUntilSignal } from '@clinic/lib/runtime/main.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { watchOutage } from '@clinic/lib/telemetry/outages.ts';
import { startTracing } from '@clinic/lib/telemetry/start-tracing.ts';
import { serviceOf } from './http/rpc.ts';
import { areas } from './routes/areas.ts';
import { startGateway } from './service.ts';
import { gatewayCallSettings, gatewaySettingsIn } from './settings.ts';

await runUntilSignal(async () => {
  const services = [...new Set(['identity', ...areas.flatMap(({ routes }) => routes.map(({ rpc }) => serviceOf(rpc.parent)))])];
  const shape = { ...gatewaySettingsIn(process.env), ...gatewayCallSettings, ...addressSettings(services) };
  const settings = readSettings(shape, process.env);
  const traces = await startTracing('gateway', settings);
  const addresses = settings as unknown as Record<string, string>;
  const address = (name: string) => addresses[addressSetting(name)] ?? '';
  const log = createLog('gateway', settings.LOG_LEVEL);
  for (const complaint of misspelledSettings(Object.keys(shape), process.env)) log.warn({}, complaint);
  // Nobody calls the gateway by RPC: it listens for public requests only.
  const credentials = openCredentials('gateway', settings, { host: 'localhost', addresses: services.map(address) }, log);
  const connect = (name: string) => grpcTransport(name, address(name), credentials, watchOutage(log, name, address(name)));
  const transports = new Map(services.map((name) => [name, connect(name)]));
  const transport = (service: string) => {
    const found = transports.get(service);
    if (!found) throw new Error(`no route calls ${service}`);
    return found;
  };
  const gateway = await startGateway({ settings, transport, log });
  return {
    async stop() {
      await gateway.stop();
      for (const connection of transports.values()) connection.close();
      credentials.tls?.stop();
      await traces.stop();
    },
  };
});
