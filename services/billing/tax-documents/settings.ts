// Settings of the tax documents.
import { z } from 'zod';

const whole = (fallback: number, least: number, most: number) => {
  const message = `must be a number from ${least} to ${most}`;
  return z.coerce.number({ error: message }).int(message).min(least, message).max(most, message).default(fallback);
};
const url = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });

export const dteSettings = {
  DTE_API_BASE_URL: url.optional(),
  DTE_SIGNER_URL: url.optional(),
  DTE_CUTOVER: z.iso.date({ error: 'must be a date, YYYY-MM-DD' }).default('2026-12-01'),
  DTE_TIMEOUT_MS: whole(8_000, 100, 30_000),
  DTE_RECEIVER_THRESHOLD: z.coerce.number({ error: 'must be an amount' }).min(0, 'must be an amount').max(1_000_000, 'must be an amount').default(1095),
  DTE_INVALIDATION_MONTHS: whole(3, 0, 120),
  DTE_INVALIDATION_BUSINESS_DAYS: whole(10, 0, 31),
  DTE_CORRECTION_HOURS: whole(24, 1, 720),
  PUBLIC_URL: url.default('http://localhost:8080').transform((text) => text.replace(/\/+$/, '')),
};
