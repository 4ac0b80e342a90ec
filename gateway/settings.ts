// The gateway's settings.
import { commonSettings, port } from '@clinic/lib/config.ts';
import { z } from 'zod';

/** `count/seconds`, or undefined for `off`. */
const rateLimit = (fallback: string) =>
  z
    .string()
    .regex(/^([1-9]\d{0,8}\/[1-9]\d{0,5}|off)$/, 'must be count/seconds, for example 100/900, or off')
    .default(fallback)
    .transform((text) => {
      const [count, seconds] = text.split('/').map(Number);
      return count && seconds ? { count, seconds } : undefined;
    });

const entries = (text: string) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

const list = z.string().default('').transform(entries);

const origins = list.refine((all) => all.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin), {
  error: 'must be origins separated by commas, for example https://app.example.com',
});

/** `name:key,…`; the name is what the audit log shows. */
const operatorKeys = z
  .string()
  .transform(entries)
  .transform((all) => all.map((entry) => ({ name: entry.slice(0, entry.indexOf(':')), key: entry.slice(entry.indexOf(':') + 1) })))
  .refine((all) => all.every(({ name, key }) => /^[\w-]{1,32}$/.test(name) && key.length >= 16), {
    error: 'must be name:key pairs separated by commas, keys of 16 characters or more',
  });

const { NODE_ENV, LOG_LEVEL, DATABASE_URL, NATS_URL, INTERNAL_KEYS } = commonSettings;

export const gatewaySettings = {
  NODE_ENV,
  LOG_LEVEL,
  /** For the rate limits: the role and schema are `gateway`. */
  DATABASE_URL,
  NATS_URL,
  INTERNAL_KEYS,
  HOST: z.string().default('0.0.0.0'),
  PORT: port(8080),
  ADMIN_PORT: port(8081),
  /** Where clients reach the gateway; http://localhost:PORT unless told. */
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(),
  SUPERADMIN_KEYS: operatorKeys,
  /** Proxies in front of the gateway: that many entries of X-Forwarded-For are believed. */
  TRUST_PROXY: z.coerce.number({ error: 'must be a number of proxies' }).int('must be a number of proxies').min(0).max(10).default(0),
  CORS_ORIGINS: origins,
  RATE_LIMIT_AUTH: rateLimit('10/900'),
  RATE_LIMIT_DEMO: rateLimit('5/3600'),
  RATE_LIMIT_FEED: rateLimit('30/900'),
  RATE_LIMIT_API: rateLimit('100/900'),
};

export type GatewaySettings = z.infer<z.ZodObject<typeof gatewaySettings>>;
