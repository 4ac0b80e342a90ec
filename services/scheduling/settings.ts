// Settings of scheduling, besides those that all services share.
import { objectSettings } from '@clinic/lib/objects/settings.ts';
import { z } from 'zod';

/** The services that it calls by RPC. */
export const dependencies = ['identity', 'messaging', 'dental'];

export const settings = {
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

export type Settings = z.infer<z.ZodObject<typeof settings>>;
