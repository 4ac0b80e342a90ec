// The building blocks of request schemas: each says what the interface allows, for validation and for the reference.
import { z } from 'zod';

export const uuid = z.guid({ error: 'must be a UUID' }).meta({ format: 'uuid' });

/** Text that says something, without surrounding blanks. */
export const text = (max: number) => z.string().trim().min(1, 'must not be empty').max(max);

export const date = z.iso.date({ error: 'must be a real date, YYYY-MM-DD' });

/** A calendar month. */
export const month = z
  .string()
  .regex(/^(19|20|21)\d\d-(0[1-9]|1[0-2])$/, 'must be YYYY-MM')
  .meta({ examples: ['2026-08'] });

/** A local time of the interface's short form. */
export const clockTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM')
  .meta({ examples: ['09:00'] });

/** A local time, seconds allowed as responses show them. */
export const time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, 'must be HH:MM or HH:MM:SS')
  .meta({ examples: ['09:00'] });

export const instant = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 instant, for example 2026-08-03T14:00:00Z' });

export const email = z.email({ error: 'must be an e-mail address' }).max(254);

/** Read by the service with the clinic's country in mind, so only its size is known here. */
export const phone = z.string().trim().min(3, 'must be a phone number').max(40);

export const dui = z.string().regex(/^\d{8}-?\d$/, 'must be 8 digits, a dash if you like, and 1 digit');

/** A new password. Which ones are too common is for identity to say. */
export const newPassword = z.string().min(8, 'must have at least 8 characters').max(128);

/** Optional on creation: null and '' say the same as leaving it out. */
export const maybe = <S extends z.ZodType>(schema: S) =>
  z.union([z.literal('').transform(() => undefined), z.null().transform(() => undefined), schema]).optional();

/** Optional on change: null and '' empty the field, leaving it out keeps it. */
export const clearable = <S extends z.ZodType>(schema: S) => z.union([z.literal(''), z.null().transform(() => ''), schema]).optional();

/** The same for a number that is never 0: null becomes 0, by which the RPC clears the field. */
export const clearableNumber = <S extends z.ZodType<number>>(schema: S) => z.union([z.null().transform(() => 0), schema]).optional();

/** A positive amount of money. */
export const money = z
  .number()
  .positive()
  .max(99_999_999.99)
  .refine((amount) => Math.round(amount * 100) / 100 === amount, 'must have at most 2 decimals')
  .meta({ multipleOf: 0.01 });

export const page = z.coerce.number({ error: 'must be a whole number from 1' }).int().min(1).max(1_000_000).default(1);

export const limit = (fallback = 50, max = 500) =>
  z.coerce
    .number({ error: `must be a whole number from 1 to ${max}` })
    .int()
    .min(1)
    .max(max)
    .default(fallback);
