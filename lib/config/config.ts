// Settings are read from environment variables, or from the files that they name, and checked once, at start.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { tracingSettings } from '../telemetry/tracing.ts';

export class SettingsError extends Error {}

/**
 * Reads and checks the settings of `shape`. An empty value counts as absent. The value may be in a file, whose path is in `<NAME>_FILE`. Throws a
 * SettingsError that lists every invalid setting.
 */
export function readSettings<S extends z.ZodRawShape>(shape: S, env: NodeJS.ProcessEnv): z.infer<z.ZodObject<S>> {
  const { values, faults } = fromFiles(Object.keys(shape), env);
  const report = (name: string, fault: string) => {
    if (!faults.some((known) => known.startsWith(`${name}_FILE:`))) faults.push(`${name}: ${fault}`);
  };
  const result = z.object(shape).safeParse(values);
  for (const issue of result.error?.issues ?? []) {
    const name = issue.path.join('.');
    report(name, values[name] === undefined ? 'is required' : issue.message);
  }
  for (const [name, schema] of Object.entries(shape)) {
    const other = (schema as z.ZodType).meta()?.requiredWith;
    if (typeof other === 'string' && values[other] !== undefined && values[name] === undefined) report(name, `is required with ${other}`);
  }
  if (result.success && faults.length === 0) return result.data;
  throw invalidSettings(faults);
}

/** The environment, with the named settings read from the file in `<NAME>_FILE` where that is set. Throws a SettingsError. */
export function readFileSettings(names: string[], env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { values, faults } = fromFiles(names, env);
  if (faults.length > 0) throw invalidSettings(faults);
  return values;
}

function invalidSettings(faults: string[]): SettingsError {
  return new SettingsError(`Invalid settings:\n${faults.map((fault) => `  ${fault}`).join('\n')}\ndocs/running.md explains each setting.`);
}

/** A setting in `names` that is itself called `<NAME>_FILE` is not read as the file of `<NAME>`. */
function fromFiles(names: string[], env: NodeJS.ProcessEnv): { values: NodeJS.ProcessEnv; faults: string[] } {
  const values = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const faults: string[] = [];
  for (const name of names) {
    const setting = `${name}_FILE`;
    const file = values[setting];
    if (file === undefined || names.includes(setting)) continue;
    delete values[setting];
    if (values[name] !== undefined) {
      faults.push(`${setting}: ${name} is set as well: remove one of the two`);
      continue;
    }
    try {
      values[name] = readFileSync(file, 'utf8').trim() || undefined;
    } catch (error) {
      faults.push(`${setting}: the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
    }
  }
  return { values, faults };
}

/** A text that must be set when the other setting is. */
export const requiredWith = (other: string) => z.string().optional().meta({ requiredWith: other });

const numeric = (form: RegExp, min: number, max: number, error: string) =>
  z.string().trim().regex(form, { error, abort: true }).transform(Number).pipe(z.number().min(min, error).max(max, error));

/** A number in decimal digits: not 0x10 nor 1e3. */
export const integer = (min: number, max: number, error: string) => numeric(/^\d+$/, min, max, error);
export const decimal = (min: number, max: number, error: string) => numeric(/^\d+(\.\d+)?$/, min, max, error);

export const port = (fallback: number) => integer(0, 65_535, 'must be a port number').default(fallback);

export const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true');

export type NamedKey = { id: string; key: Buffer };

const keyRingOf = (ids: RegExp) =>
  z.string().transform((text, context) => {
    const keys = text.split(',').map((entry) => {
      const [id = '', encoded = ''] = entry.trim().split(':');
      return { id, key: Buffer.from(encoded, 'base64') };
    });
    if (keys.every(({ id, key }) => ids.test(id) && key.length === 32) && new Set(keys.map(({ id }) => id)).size === keys.length) return keys;
    context.addIssue({ code: 'custom', message: 'must be id:base64 pairs of 32 bytes, separated by commas, each id once' });
    return z.NEVER;
  });

/** `id:base64,id:base64`, keys of 32 bytes. The first key encrypts and signs; the others only decrypt and verify. */
export const keyRing = keyRingOf(/^[\w-]{1,32}$/);
/** The text of a key ring, as in the setting. */
export const formatKeyRing = (keys: NamedKey[]) => keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');
/** Ids may end with the name of a service or `.*`: lib/crypto/service-keys.ts. */
export const encryptionKeyRing = keyRingOf(/^[\w-]{1,32}(\.([a-z]+|\*))?$/);

const databaseUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' });

/** Settings of every service. A service adds its own in its `settings.ts`. */
export const commonSettings = {
  NODE_ENV: z.enum(['development', 'test', 'production'], { error: 'must be development, test or production' }).default('development'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], { error: 'must be trace, debug, info, warn, error, fatal or silent' })
    .default('info'),
  DATABASE_URL: databaseUrl,
  /** URL of the system role, for work across clinics. */
  DATABASE_SYSTEM_URL: databaseUrl,
  NATS_URL: z.url({ protocol: /^(nats|tls)$/, error: 'must be a nats:// URL' }),
  /** Replicas of the event stream, used when the stream is created. */
  NATS_REPLICAS: z.enum(['1', '3', '5'], { error: 'must be 1, 3 or 5' }).transform(Number).default(1),
  /** Size limit of the event stream, used when the stream is created. */
  NATS_MAX_BYTES: integer(1_000_000, Number.MAX_SAFE_INTEGER, 'must be a number of bytes, at least 1000000').optional(),
  /** How many seconds a start waits for the database, and for the processes that it starts. */
  START_SECONDS: integer(5, 3_600, 'must be 5 to 3600').default(180),
  ENCRYPTION_KEYS: encryptionKeyRing,
  ...tracingSettings,
  DATABASE_POOL: integer(2, 200, 'must be 2 to 200').default(10),
};

export type CommonSettings = z.infer<z.ZodObject<typeof commonSettings>>;
