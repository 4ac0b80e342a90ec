// The building blocks of what tools are asked with. A model may send anything.
import { z } from 'zod';

const exists = (date: string) => {
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date) && date >= '1900-01-01' && date < '2200-01-01';
};

export const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .refine(exists, 'must be a date that exists')
  .describe('YYYY-MM-DD');
export const optionalDay = day.optional();
export const time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
  .describe('HH:MM, 24 hours');
export const text = (max: number) => z.string().trim().min(1).max(max);
