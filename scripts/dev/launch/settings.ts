// The settings of all services and the gateway, checked together so that one message lists every fault.
import { type gatewaySettings, gatewaySettingsIn } from '@clinic/gateway/settings.ts';
import { commonSettings, flag, keyRing, port, readFileSettings, readSettings } from '@clinic/lib/config/config.ts';
import type { ServiceModule } from '@clinic/lib/runtime/service.ts';
import { z } from 'zod';
import { SERVICES } from '../../schemas.ts';
import { hasSchemas, SCHEMA_FOLDERS } from '../dte-simulator/schema-folders.ts';

/** What a service needs. Its settings.ts contains this, so that nothing else of the service must be loaded to know it. */
export type Declared = Pick<ServiceModule, 'name' | 'settings' | 'dependencies'>;

export function declaredServices(): Promise<Declared[]> {
  return Promise.all(
    SERVICES.map(async (name) => {
      const { settings, dependencies } = (await import(`../../../services/${name}/settings.ts`)) as Omit<Declared, 'name'>;
      return { name, settings, dependencies };
    }),
  );
}

/** Placeholders for stores that are started only after the check. */
const TO_BE_STARTED = { DATABASE_URL: 'postgres://embedded', DATABASE_SYSTEM_URL: 'postgres://embedded', NATS_URL: 'nats://embedded' };

/** Settings of the simulators, which are started when no provider or authority is configured. Port 0 selects a free one. */
const simulatorSettings = {
  CHAT_SIMULATOR_PORT: port(0),
  DTE_SIMULATOR_PORT: port(0),
  DTE_SCHEMA_DIR: z
    .string()
    .refine(hasSchemas, `must be a folder that contains ${SCHEMA_FOLDERS.join(' and ')}`)
    .optional(),
};

type Shape = typeof commonSettings &
  typeof gatewaySettings &
  typeof simulatorSettings & {
    DATA_DIR: z.ZodString;
    INTERNAL_KEYS: typeof keyRing;
    DEMO_SEED: ReturnType<typeof flag>;
    DEMO_HISTORY: ReturnType<typeof flag>;
  };

function shapeOf(services: Declared[], env: NodeJS.ProcessEnv): Shape {
  // A configured database may contain real data, so it gets a demo clinic only when DEMO_SEED requests it.
  const own = { DATA_DIR: z.string(), INTERNAL_KEYS: keyRing, DEMO_SEED: flag(env.NODE_ENV !== 'production' && !env.DATABASE_URL), DEMO_HISTORY: flag(true) };
  const ofGateway = gatewaySettingsIn(env);
  return { ...Object.assign({}, ...services.map((service) => service.settings)), ...commonSettings, ...ofGateway, ...simulatorSettings, ...own };
}

/** The names of all settings of a start. */
export const settingNames = (services: Declared[]) => Object.keys(shapeOf(services, {}));

/** The environment, with settings read from the files that `<NAME>_FILE` variables name. */
export const withSettingFiles = (services: Declared[], env: NodeJS.ProcessEnv) => readFileSettings(settingNames(services), env);

export const readAllSettings = (services: Declared[], env: NodeJS.ProcessEnv) => readSettings(shapeOf(services, env), { ...TO_BE_STARTED, ...env });

export type AllSettings = ReturnType<typeof readAllSettings>;
