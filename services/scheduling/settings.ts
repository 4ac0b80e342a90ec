// Scheduling's own settings.
import { z } from 'zod';

export const schedulingSettings = {
  /** Where clients reach the service from outside; feed and check-in links begin with it. */
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
    .default('http://localhost:8080')
    .transform((url) => url.replace(/\/+$/, '')),
};

export type SchedulingSettings = z.infer<z.ZodObject<typeof schedulingSettings>>;
