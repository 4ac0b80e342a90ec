// Settings of billing: the payment provider's products, and the tax documents.
import { decimal, integer } from '@clinic/lib/config/config.ts';
import { publicUrlSettings } from '@clinic/lib/config/public-url.ts';
import { z } from 'zod';
import { variantsSetting } from './subscriptions/variants-rules.ts';

const integerOr = (fallback: number, min: number, max: number) => integer(min, max, `must be an integer from ${min} to ${max}`).default(fallback);
const url = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });

/** The services that it calls by RPC. */
export const dependencies = ['identity', 'scheduling', 'dental', 'messaging'];

export const settings = {
  PAYMENTS_VARIANTS: variantsSetting,
  PAYMENTS_GRACE_DAYS: integerOr(7, 0, 90),
  DTE_API_BASE_URL: url.optional(),
  DTE_SIGNER_URL: url.optional(),
  DTE_CUTOVER: z.iso.date({ error: 'must be a date, YYYY-MM-DD' }).default('2026-12-01'),
  DTE_TIMEOUT_MS: integerOr(8_000, 100, 30_000),
  DTE_RECEIVER_THRESHOLD: decimal(0, 1_000_000, 'must be an amount').default(1095),
  DTE_INVALIDATION_MONTHS: integerOr(3, 0, 120),
  DTE_INVALIDATION_BUSINESS_DAYS: integerOr(10, 0, 31),
  DTE_CORRECTION_HOURS: integerOr(24, 1, 720),
  DTE_LINK_DAYS: integerOr(90, 1, 3650),
  ...publicUrlSettings,
};

export type Settings = z.infer<z.ZodObject<typeof settings>>;
