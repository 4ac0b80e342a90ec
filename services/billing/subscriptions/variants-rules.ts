// The setting PAYMENTS_VARIANTS: plan and billing cycle of each variant that the payment provider sells.
import { PAID_PLANS } from '@clinic/lib/formats/plans.ts';
import { DateTime } from 'luxon';
import { z } from 'zod';

export type Cycle = 'month' | 'year';
export type Variant = { plan: string; cycle: Cycle };
/** By the provider's variant id. */
export type Variants = Record<string, Variant>;

const variants = z.record(z.string().regex(/^[\w-]{1,64}$/), z.strictObject({ plan: z.enum(PAID_PLANS), cycle: z.enum(['month', 'year']) }));

const MESSAGE = 'must be JSON such as {"111":{"plan":"basic","cycle":"month"}}, with plans basic, pro or clinica and cycles month or year';

export const variantsSetting = z
  .string()
  .default('{}')
  .transform((text, context): Variants => {
    const result = variants.safeParse(parseJson(text));
    if (result.success) return result.data;
    context.addIssue({ code: 'custom', message: MESSAGE });
    return z.NEVER;
  });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One billing cycle after an instant, by the calendar: one month after January 31 is the last day of February. */
export function afterCycle(at: number, cycle: Cycle): number {
  return DateTime.fromMillis(at, { zone: 'utc' })
    .plus(cycle === 'year' ? { years: 1 } : { months: 1 })
    .toMillis();
}
