// Runs the gateway as its own process; the addresses of the services come from the environment.
import { readSettings } from '@clinic/lib/config/config.ts';
import { grpcTransport } from '@clinic/lib/rpc/grpc-client.ts';
import { addressSetting, addressSettings, runUntilSignal } from '@clinic/lib/runtime/main.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { watchOutage } from '@clinic/lib/telemetry/outages.ts';
import { startTracing } from '@clinic/lib/telemetry/start-tracing.ts';
import { serviceOf } from './http/rpc.ts';
import { areas } from './routes/areas.ts';
import { startGateway } from './service.ts';
import { gatewaySettings } from './settings.ts';

await runUntilSignal(async () => {
  const services = [...new Set(['identity', ...areas.flatMap(({ routes }) => routes.map(({ rpc }) => serviceOf(rpc.parent)))])];
  const settings = readSettings({ ...gatewaySettings, ...addressSettings(services) }, process.env);
  const traces = await startTracing('gateway', settings);
  const addresses = settings as unknown as Record<string, string>;
  const log = createLog('gateway', settings.LOG_LEVEL);
  const connect = (name: string, address = '') => grpcTransport(address, settings.INTERNAL_KEYS, watchOutage(log, name, address));
  const transports = new Map(services.map((name) => [name, connect(name, addresses[addressSetting(name)])]));
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
      await traces.stop();
    },
  };
});
