// Calls running services as the gateway, with its keys and certificate, to create the demo clinic.
import { gatewayCallSettings } from '@clinic/gateway/settings.ts';
import { commonSettings, readSettings } from '@clinic/lib/config/config.ts';
import { openCredentials } from '@clinic/lib/rpc/credentials.ts';
import { grpcTransport } from '@clinic/lib/rpc/grpc-client.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import type { Transport } from '@connectrpc/connect';

export function gatewayTransports(address: (service: string) => string, env: NodeJS.ProcessEnv): { transport(service: string): Transport; close(): void } {
  const { NODE_ENV, LOG_LEVEL } = commonSettings;
  const settings = readSettings({ NODE_ENV, LOG_LEVEL, ...gatewayCallSettings }, env);
  const credentials = openCredentials(
    'gateway',
    { ...settings, INTERNAL_KEYS: undefined },
    { host: 'localhost', addresses: [] },
    createLog('seed', settings.LOG_LEVEL),
  );
  const transports = new Map<string, ReturnType<typeof grpcTransport>>();
  return {
    transport(service) {
      const transport = transports.get(service) ?? grpcTransport(service, address(service), credentials);
      transports.set(service, transport);
      return transport;
    },
    close() {
      for (const transport of transports.values()) transport.close();
      credentials.tls?.stop();
    },
  };
}
