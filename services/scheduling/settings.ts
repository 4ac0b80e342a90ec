// Settings of scheduling, besides those that all services share.
import { publicUrlSettings } from '@clinic/lib/config/public-url.ts';
import { objectSettings } from '@clinic/lib/objects/settings.ts';
import { z } from 'zod';

/** The services that scheduling calls by RPC. */
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
  ...publicUrlSettings,
};

export type Settings = z.infer<z.ZodObject<typeof settings>>;
