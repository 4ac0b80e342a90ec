// Settings of billing: the payment provider's products, and the tax documents.
import { z } from 'zod';
import { variantsSetting } from './subscriptions/variants-rules.ts';

const AMOUNT = 'must be an amount';

const integer = (fallback: number, min: number, max: number) => {
  const message = `must be an integer from ${min} to ${max}`;
  return z.coerce.number({ error: message }).int(message).min(min, message).max(max, message).default(fallback);
};
const url = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });

/** The services that it calls by RPC. */
export const dependencies = ['identity', 'scheduling', 'dental', 'messaging'];

export const settings = {
  PAYMENTS_VARIANTS: variantsSetting,
  PAYMENTS_GRACE_DAYS: integer(7, 0, 90),
  DTE_API_BASE_URL: url.optional(),
  DTE_SIGNER_URL: url.optional(),
  DTE_CUTOVER: z.iso.date({ error: 'must be a date, YYYY-MM-DD' }).default('2026-12-01'),
  DTE_TIMEOUT_MS: integer(8_000, 100, 30_000),
  DTE_RECEIVER_THRESHOLD: z.coerce.number({ error: AMOUNT }).min(0, AMOUNT).max(1_000_000, AMOUNT).default(1095),
  DTE_INVALIDATION_MONTHS: integer(3, 0, 120),
  DTE_INVALIDATION_BUSINESS_DAYS: integer(10, 0, 31),
  DTE_CORRECTION_HOURS: integer(24, 1, 720),
  DTE_LINK_DAYS: integer(90, 1, 3650),
  PUBLIC_URL: url.default('http://localhost:8080').transform((text) => text.replace(/\/+$/, '')),
};

export type Settings = z.infer<z.ZodObject<typeof settings>>;
