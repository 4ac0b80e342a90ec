// Settings of the store of contents.
import { z } from 'zod';
import { requiredWith } from '../config/config.ts';

export const objectSettings = {
  /** Contents are stored in its folder `files`, unless S3_ENDPOINT is set. */
  DATA_DIR: z.string().default('.data'),
  S3_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: requiredWith('S3_ENDPOINT'),
  S3_ACCESS_KEY: requiredWith('S3_ENDPOINT'),
  S3_SECRET_KEY: requiredWith('S3_ENDPOINT'),
};

export type ObjectSettings = z.infer<z.ZodObject<typeof objectSettings>>;
