// The gateway as its own process: the services answer at the addresses of the environment.
import { readSettings, SettingsError } from '@clinic/lib/config.ts';
import { createLog } from '@clinic/lib/log.ts';
import { grpcTransport } from '@clinic/lib/rpc/grpc.ts';
import { z } from 'zod';
import { startGateway } from './service.ts';
import { gatewaySettings } from './settings.ts';

const address = z.string().regex(/^dns:\/\/\/.+:\d+$/, 'must be dns:///host:port');
const addresses = { IDENTITY_ADDRESS: address, SCHEDULING_ADDRESS: address, PLATFORM_ADDRESS: address };

async function main() {
  const settings = readSettings({ ...gatewaySettings, ...addresses }, process.env);
  const log = createLog('gateway', settings.LOG_LEVEL);
  const open = new Map<string, ReturnType<typeof grpcTransport>>();
  const transport = (service: string) => {
    const known = open.get(service) ?? grpcTransport(settings[`${service.toUpperCase()}_ADDRESS` as keyof typeof addresses], settings.INTERNAL_KEYS);
    open.set(service, known);
    return known;
  };
  const gateway = await startGateway({ settings, transport, log });
  const stop = () =>
    void gateway.stop().then(() => {
      for (const transport of open.values()) transport.close();
    });
  process.once('SIGTERM', stop).once('SIGINT', stop);
}

main().catch((error: Error) => {
  console.error(error instanceof SettingsError ? error.message : error);
  process.exitCode = 1;
});
