// Scheduling's own settings.
import { objectSettings } from '@clinic/lib/objects/settings.ts';
import { z } from 'zod';

export const schedulingSettings = {
  ...objectSettings,
  /** ClamAV's daemon, which checks the files of patients. */
  CLAMAV_ADDRESS: z
    .string()
    .regex(/^[^\s:/]+:\d{1,5}$/, 'must be host:port')
    .transform((address) => ({ host: address.slice(0, address.lastIndexOf(':')), port: Number(address.slice(address.lastIndexOf(':') + 1)) }))
    .refine(({ port }) => port > 0 && port < 65_536, 'must be host:port')
    .optional(),
  /** Where clients reach the service from outside; feed and check-in links begin with it. */
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
    .default('http://localhost:8080')
    .transform((url) => url.replace(/\/+$/, '')),
};

export type SchedulingSettings = z.infer<z.ZodObject<typeof schedulingSettings>>;
