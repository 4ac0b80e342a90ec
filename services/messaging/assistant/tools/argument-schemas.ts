// Schemas of tool arguments, which a model may send in any form.
import { isWholeMinute } from '@clinic/lib/formats/clock-time.ts';
import { isLocalDate, isMonth, LOCAL_DATE_RULE } from '@clinic/lib/formats/local-date.ts';
import { z } from 'zod';

export const day = z.string().refine(isLocalDate, LOCAL_DATE_RULE).describe('YYYY-MM-DD');
export const optionalDay = day.optional();
export const optionalMonth = z.string().refine(isMonth, 'must be YYYY-MM').describe('YYYY-MM').optional();
export const time = z
  .string()
  .refine(isWholeMinute, 'must be HH:MM')
  .describe('HH:MM, 24 hours')
  .transform((text) => text.slice(0, 5));
export const text = (max: number) => z.string().trim().min(1).max(max);
export const optionalDoctor = z.string().max(200).optional().describe('Name or reference of a doctor; absent for all');
export const optionalPatient = z.string().max(200).optional().describe('Name or reference of a patient; absent for all');
