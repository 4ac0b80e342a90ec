// What the provider's products mean, and how long a failed payment is forgiven.
import { z } from 'zod';
import { variantsSetting } from './subscriptions/variants-rules.ts';

const MESSAGE = 'must be a number of days from 0 to 90';

export const settings = {
  PAYMENTS_VARIANTS: variantsSetting,
  PAYMENTS_GRACE_DAYS: z.coerce.number({ error: MESSAGE }).int(MESSAGE).min(0, MESSAGE).max(90, MESSAGE).default(7),
};
