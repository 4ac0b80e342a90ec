// The settings of each process of the product and the services that it calls, from the code.
import { serviceOf } from '@clinic/gateway/http/rpc.ts';
import { areas } from '@clinic/gateway/routes/areas.ts';
import { gatewayCallSettings, gatewaySettings } from '@clinic/gateway/settings.ts';
import { commonSettings } from '@clinic/lib/config/config.ts';
import { addressSettings, listenSettings } from '@clinic/lib/runtime/main.ts';
import { declaredServices } from '../dev/launch/settings.ts';
import type { Program } from './kubernetes-wiring.ts';

export async function programs(): Promise<Program[]> {
  const services = await declaredServices();
  const called = [...new Set(['identity', ...areas.flatMap(({ routes }) => routes.map(({ rpc }) => serviceOf(rpc.parent)))])];
  return [
    ...services.map(({ name, settings, dependencies }) => ({
      name,
      settings: { ...settings, ...addressSettings(dependencies), ...commonSettings, ...listenSettings },
      calls: dependencies,
    })),
    { name: 'gateway', settings: { ...gatewaySettings, ...gatewayCallSettings, ...addressSettings(called) }, calls: called },
  ];
}
