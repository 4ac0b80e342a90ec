// Settings of the store of contents.
import { z } from 'zod';

export const objectSettings = {
  /** Contents are stored in its folder `files`, unless S3_ENDPOINT is set. */
  DATA_DIR: z.string().default('.data'),
  S3_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(),
  S3_REGION: z.string().default('us-east-1'),
  /** These three are required with S3_ENDPOINT. */
  S3_BUCKET: z.string().optional(),
  S3_ACCESS_KEY: z.string().optional(),
  S3_SECRET_KEY: z.string().optional(),
};

export type ObjectSettings = z.infer<z.ZodObject<typeof objectSettings>>;
