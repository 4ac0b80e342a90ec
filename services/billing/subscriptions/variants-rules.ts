// Which plan, and for how long, each thing that the provider sells stands for: the setting PAYMENTS_VARIANTS.
import { DateTime } from 'luxon';
import { z } from 'zod';

export type Cycle = 'month' | 'year';
export type Variant = { plan: string; cycle: Cycle };
/** By the provider's variant id. */
export type Variants = Record<string, Variant>;

const variants = z.record(z.string().regex(/^[\w-]{1,64}$/), z.strictObject({ plan: z.enum(['basic', 'pro', 'clinica']), cycle: z.enum(['month', 'year']) }));

const MESSAGE = 'must be JSON such as {"111":{"plan":"basic","cycle":"month"}}, with plans basic, pro or clinica and cycles month or year';

/** The setting's text as variants. */
export const variantsSetting = z
  .string()
  .default('{}')
  .transform((text, context): Variants => {
    const result = variants.safeParse(readJson(text));
    if (result.success) return result.data;
    context.addIssue({ code: 'custom', message: MESSAGE });
    return z.NEVER;
  });

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One billing cycle after an instant, by the calendar: from January 31 a month leads to the last of February. */
export function afterCycle(at: number, cycle: Cycle): number {
  return DateTime.fromMillis(at, { zone: 'utc' })
    .plus(cycle === 'year' ? { years: 1 } : { months: 1 })
    .toMillis();
}
