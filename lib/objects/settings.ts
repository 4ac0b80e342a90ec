// Where contents are stored.
import { z } from 'zod';

export const objectSettings = {
  /** Contents are in its folder `files`. */
  DATA_DIR: z.string().default('.data'),
};

export type ObjectSettings = z.infer<z.ZodObject<typeof objectSettings>>;
