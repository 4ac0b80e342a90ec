// The building blocks of request schemas, for validation and for the reference. The rules are those of lib/formats.

import { MAX_CANCELLATION_TEXT, MAX_NOTICE_HOURS } from '@clinic/lib/formats/cancellation.ts';
import { CLOCK_TIME } from '@clinic/lib/formats/clock-time.ts';
import { normalizeDui } from '@clinic/lib/formats/dui.ts';
import { MAX_MINUTES, MIN_MINUTES } from '@clinic/lib/formats/duration.ts';
import { MAX_EMAIL_LENGTH, normalizeEmail } from '@clinic/lib/formats/email.ts';
import { isLocalDate, LOCAL_DATE_RULE, MONTH } from '@clinic/lib/formats/local-date.ts';
import { fromCents, isAmount, MAX_CENTS } from '@clinic/lib/formats/money.ts';
import { MAX_PAGE } from '@clinic/lib/formats/page.ts';
import { MAX_PHONE_LENGTH } from '@clinic/lib/formats/phone.ts';
import { isBlank, VISIBLE_ASCII, VISIBLE_ASCII_RULE } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { MAX_PICTURE_BYTES, PICTURE_TYPES } from '@clinic/lib/image/picture-limits.ts';
import { z } from 'zod';

/** In lower case, as ids are stored, compared and published. */
export const uuid = z.string().toLowerCase().refine(isUuid, 'must be a UUID').meta({ format: 'uuid' });

/** Trimmed text of 1 to `max` characters, not blank. */
export const text = (max: number) => {
  const error = 'must not be empty';
  const isNotBlank = (value: string) => !isBlank(value);
  return z.string().trim().min(1, { error, abort: true }).max(max).refine(isNotBlank, error);
};

/** An id or a token of a provider. */
export const ascii = (max: number) => text(max).refine((value) => VISIBLE_ASCII.test(value), VISIBLE_ASCII_RULE);

/** A query parameter that is true or false. */
export const trueOrFalse = z.enum(['true', 'false'], { error: 'must be true or false' }).transform((value) => value === 'true');

/** A query parameter that is true or false, by default false. */
export const flag = trueOrFalse.default(false);

/** The text of a search; '' finds everything. */
export const search = (max: number) => z.string().trim().max(max).default('');

export const date = z.string().refine(isLocalDate, LOCAL_DATE_RULE).meta({ format: 'date' });

/** A calendar month. */
export const month = z
  .string()
  .regex(MONTH, 'must be YYYY-MM')
  .meta({ examples: ['2026-08'] });

/** A local time; seconds are allowed because responses show them. */
export const time = z
  .string()
  .regex(CLOCK_TIME, 'must be HH:MM or HH:MM:SS')
  .meta({ examples: ['09:00'] });

/** A local time in whole minutes. */
export const clockTime = z
  .string()
  .max(5, 'must be HH:MM')
  .regex(CLOCK_TIME, 'must be HH:MM')
  .meta({ examples: ['09:00'] });

/** The length of an appointment. */
export const minutes = z.int().min(MIN_MINUTES).max(MAX_MINUTES);

/** The cancellation policy. */
export const noticeHours = z.int().min(0).max(MAX_NOTICE_HOURS);
export const cancellationText = text(MAX_CANCELLATION_TEXT);

/** A protobuf Timestamp has the years 1 to 9999. An offset can move the year of four digits out of them. */
function isTimestamp(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return !(year < 1 || year > 9999);
}

export const instant = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 instant, for example 2026-08-03T14:00:00Z' })
  .refine(isTimestamp, 'must be in the years 0001 to 9999, in UTC');

export const email = z
  .string()
  .refine((value) => normalizeEmail(value) !== undefined, 'must be an e-mail address')
  .meta({ format: 'email', maxLength: MAX_EMAIL_LENGTH });

/** Only the length is checked here: the service parses a phone number with the country of the clinic. */
export const phone = z.string().trim().min(3, 'must be a phone number').max(MAX_PHONE_LENGTH);

export const dui = z
  .string()
  .refine((value) => normalizeDui(value) !== undefined, 'must be 8 digits, a dash and 1 digit')
  .meta({ examples: ['00016297-5'] });

/** An existing password, as it was typed. */
export const password = z.string().min(1).max(1024);

/** A new password. Identity checks its length, in characters of the normalised form; the reference states the limits. */
export const newPassword = password.meta({ minLength: 8, maxLength: 128 });

/** Makes a union report the error of its last variant. */
const LAST = { error: ({ errors }: { errors?: z.core.$ZodIssue[][] }) => errors?.at(-1)?.[0]?.message };

/** Optional on creation: null and '' mean absent. */
export const maybe = <S extends z.ZodType>(schema: S) =>
  z.union([z.literal('').transform(() => undefined), z.null().transform(() => undefined), schema], LAST).optional();

/** Optional on change: null and '' clear the field; an absent field is not changed. */
export const clearable = <S extends z.ZodType>(schema: S) => z.union([z.literal(''), z.null().transform(() => ''), schema], LAST).optional();

/** Optional on change: null and '' become the number `cleared`, with which the RPC clears the field. */
export const clearableNumber = <S extends z.ZodType<number>>(schema: S, cleared = 0) =>
  z.union([z.literal('').transform(() => cleared), z.null().transform(() => cleared), schema], LAST).optional();

/** The fields of a booking: the doctor and the time, the patient, and what the appointment needs. */
export const bookedTime = { doctorId: uuid, appointmentDate: date, startTime: clockTime };
export const bookedFor = { patientId: maybe(uuid), patientName: maybe(text(200)), patientPhone: maybe(phone) };
export const needs = { typeId: maybe(uuid), durationMinutes: maybe(minutes), resourceId: maybe(uuid) };

const MAX_AMOUNT = fromCents(MAX_CENTS);

// Reports only one error for an amount outside the limits, whose decimals may be right.
const abort = true;

/** A positive amount of money. */
export const money = z.number().positive({ abort }).max(MAX_AMOUNT, { abort }).refine(isAmount, 'must have at most 2 decimals').meta({ multipleOf: 0.01 });

/** An amount of money that may be 0. */
export const moneyOrZero = z
  .number()
  .min(0, { abort })
  .max(MAX_AMOUNT, { abort })
  .refine((amount) => amount === 0 || isAmount(amount), 'must have at most 2 decimals')
  .meta({ multipleOf: 0.01 });

/** An integer as a query parameter, in decimal digits. */
export const integerText = (min: number, max: number) =>
  z.preprocess(
    (text) => (/^-?\d+$/.test(String(text)) ? Number(text) : text),
    z
      .int({ error: `must be an integer from ${min} to ${max}` })
      .min(min)
      .max(max),
  );

/** The length of an appointment as a query parameter. */
export const minutesText = integerText(MIN_MINUTES, MAX_MINUTES);

export const page = integerText(1, MAX_PAGE).default(1);

export const limit = (fallback = 50, max = 500) => integerText(1, max).default(fallback);

/** The query parameters of a list with pages. */
export const pages = { page, limit: limit() };

/** The accepted media types and size of a picture; the service checks the content. */
export const picture = { types: PICTURE_TYPES, maxBytes: MAX_PICTURE_BYTES };
