// Settings of the gateway.
import { existsSync, readFileSync } from 'node:fs';
import { commonSettings, decimal, flag, integer, port } from '@clinic/lib/config/config.ts';
import { httpUrl } from '@clinic/lib/config/public-url.ts';
import { callSettings, gatewayAssertionSettings } from '@clinic/lib/rpc/call-keys.ts';
import { tlsSettings } from '@clinic/lib/rpc/tls.ts';
import { tracingSettings } from '@clinic/lib/telemetry/tracing.ts';
import { z } from 'zod';
import { parseOperatorKeys } from './access/operator-keys.ts';

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

/** A number, or null for `off`. Absent: the fallback of limits/clinic-limits.ts. */
const perClinic = (max: number) => {
  const error = `must be a number from 1 to ${max}, or off`;
  return z.union([z.literal('off').transform(() => null), integer(1, max, error)], { error }).optional();
};

const entries = (text: string) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

const list = z.string().default('').transform(entries);

const origins = list.refine((all) => all.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin), {
  error: 'must be origins separated by commas, for example https://app.example.com',
});

const SECONDS = 'must be a number of seconds from 0 to 15';
const KEYS = 'must be name:key pairs separated by commas, with keys of 16 characters or more';

/** `name:key,…`; the name appears in the audit log. */
const operatorKeys = z.string().transform((text, context) => {
  const keys = parseOperatorKeys(text);
  if (keys) return keys;
  context.addIssue({ code: 'custom', message: KEYS });
  return z.NEVER;
});

/** A file of such pairs, read again when it changes. */
const operatorKeysFile = z
  .string()
  .refine((file) => existsSync(file) && parseOperatorKeys(readFileSync(file, 'utf8')) !== undefined, {
    error: 'must be a file of name:key pairs, with keys of 16 characters or more',
  })
  .optional();

const { NODE_ENV, LOG_LEVEL, DATABASE_URL, NATS_URL } = commonSettings;

export const gatewaySettings = {
  NODE_ENV,
  LOG_LEVEL,
  /** For the rate limits: the role and schema are `gateway`. */
  DATABASE_URL,
  NATS_URL,
  ...tracingSettings,
  HOST: z.string().default('0.0.0.0'),
  PORT: port(8080),
  ADMIN_PORT: port(8081),
  /** How long the gateway keeps serving after it has reported that it is not ready, so that load balancers notice. */
  DRAIN_SECONDS: decimal(0, 15, SECONDS).default(0),
  /** Without it, the links in responses of the gateway itself are relative. */
  PUBLIC_URL: httpUrl.optional(),
  SUPERADMIN_KEYS: operatorKeys.default([]),
  /** Verifies the signatures of the chat provider's deliveries. */
  CHAT_APP_SECRET: z.string(),
  /** The chat provider sends it when it verifies the address of the webhook. */
  CHAT_VERIFY_TOKEN: z.string(),
  SUPERADMIN_KEYS_FILE: operatorKeysFile,
  /** Shared with the payment provider, which signs its deliveries with it. */
  PAYMENTS_WEBHOOK_SECRET: z.string().min(6, 'must have at least 6 characters'),
  /** Number of proxies in front of the gateway: that many entries of X-Forwarded-For are trusted. */
  TRUST_PROXY: integer(0, 10, 'must be a number of proxies from 0 to 10').default(0),
  /** Names the cookies `__Host-…`, with the path /. */
  HOST_COOKIES: flag(false),
  CORS_ORIGINS: origins,
  RATE_LIMIT_AUTH: rateLimit('10/900'),
  RATE_LIMIT_DEMO: rateLimit('5/3600'),
  RATE_LIMIT_FEED: rateLimit('30/900'),
  /** The pages that patients open without signing in, and /api/public. Views and submissions are counted separately. */
  RATE_LIMIT_BOOKING: rateLimit('120/900'),
  RATE_LIMIT_API: rateLimit('100/900'),
  /** Per integration key, instead of the limit of its address. */
  RATE_LIMIT_KEY: rateLimit('600/60'),
  /** Per user, in addition to the limit of the address. */
  RATE_LIMIT_USER: rateLimit('off'),
  /** Requests of all users of a clinic, over all replicas. Operators can change it for a clinic. Default: 3,000, or off if RATE_LIMIT_API is off. */
  CLINIC_REQUESTS_PER_MINUTE: perClinic(1_000_000),
  /** Concurrent requests of a clinic in each replica; up to five times as many wait. Default: 20, or off if RATE_LIMIT_API is off. */
  CLINIC_CONCURRENT_REQUESTS: perClinic(1_000),
};

/** The settings of the gateway in this environment: production requires an operator key, in SUPERADMIN_KEYS or in SUPERADMIN_KEYS_FILE. */
export const gatewaySettingsIn = ({ NODE_ENV: mode, SUPERADMIN_KEYS_FILE: file }: NodeJS.ProcessEnv) =>
  mode === 'production' && !file ? { ...gatewaySettings, SUPERADMIN_KEYS: operatorKeys } : gatewaySettings;

/** For calls to services that run as processes of their own. */
export const gatewayCallSettings = { ...callSettings, ...gatewayAssertionSettings, ...tlsSettings };

export type GatewaySettings = z.infer<z.ZodObject<typeof gatewaySettings>>;
