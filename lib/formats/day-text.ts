// Formats days and times for messages in Spanish and English, and finds the day that a message names.
import { DateTime, Info } from 'luxon';
import { addDays } from './local-date.ts';
import { containsPhrase, foldPhrase } from './phrases.ts';

export type Language = 'es' | 'en';

/** `mar 2 jun` or `Tue 2 Jun`. */
export const formatShortDay = (date: string, language: Language) =>
  DateTime.fromISO(date, { zone: 'utc' }).setLocale(language).toFormat('ccc d LLL').replaceAll('.', '');

/** `martes 2 de junio` or `Tuesday, 2 June`. */
export function formatLongDay(date: string, language: Language): string {
  const day = DateTime.fromISO(date, { zone: 'utc' }).setLocale(language);
  return language === 'es' ? day.toFormat("cccc d 'de' LLLL") : day.toFormat('cccc, d LLLL');
}

/** 2026-08-03 → `3 de agosto de 2026`. */
export const spanishDate = (date: string) => DateTime.fromISO(date, { zone: 'utc' }).setLocale('es-SV').toFormat("d 'de' LLLL 'de' yyyy");

/** HH:MM or HH:MM:SS as `8:30 a. m.` or `8:30 AM`. */
export function formatClockTime(time: string, language: Language): string {
  const hour = Number(time.slice(0, 2));
  const half = language === 'es' ? (hour < 12 ? 'a. m.' : 'p. m.') : hour < 12 ? 'AM' : 'PM';
  return `${hour % 12 || 12}:${time.slice(3, 5)} ${half}`;
}

const inBoth = (list: (locale: Language) => string[]) => list('es').map((name, index) => [name, list('en')[index] ?? '']);
const WEEKDAYS = inBoth((locale) => Info.weekdays('long', { locale }));
const MONTHS = inBoth((locale) => Info.months('long', { locale }));

/** Folds a message for parseDay(), without its clock times: `9:10` and `a las 9.10` do not name a day of October. */
export const withoutClockTimes = (text: string): string => foldPhrase(text.replaceAll(/\d{1,2}:\d{2}|(?<=\b(?:las?|at) )\d{1,2}[.-]\d{1,2}\b/gi, ' '));

// «El viernes por la mañana» is Friday morning; `mañana` does not mean tomorrow there.
const MORNING = / (?:de|por|en|a) la manana(?= )/g;

/** The day that a message names, relative to `today`; undefined when it names none. `folded` is the result of withoutClockTimes(). */
export function parseDay(folded: string, today: string, language: Language): string | undefined {
  const message = folded.replaceAll(MORNING, '');
  const iso = / (\d{4}) (\d{1,2}) (\d{1,2}) /.exec(message);
  if (iso) return dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  if (containsPhrase(message, 'pasado manana') || containsPhrase(message, 'day after tomorrow')) return addDays(today, 2);
  if (containsPhrase(message, 'hoy') || containsPhrase(message, 'today')) return today;
  if (containsPhrase(message, 'manana') || containsPhrase(message, 'tomorrow')) return addDays(today, 1);
  const month = MONTHS.findIndex((names) => names.some((name) => containsPhrase(message, name))) + 1;
  const number = Number(/ (\d{1,2})(?:st|nd|rd|th)? /.exec(message)?.[1] ?? 0);
  if (month > 0 && number > 0) return nextDate(number, month, today);
  const slashed = / (\d{1,2}) (\d{1,2}) /.exec(message);
  if (slashed) {
    const [first, second] = [Number(slashed[1]), Number(slashed[2])];
    return language === 'en' ? nextDate(second, first, today) : nextDate(first, second, today);
  }
  const weekday = WEEKDAYS.findIndex((names) => names.some((name) => containsPhrase(message, name))) + 1;
  if (weekday > 0) return addDays(today, (weekday - DateTime.fromISO(today, { zone: 'utc' }).weekday + 7) % 7);
  return undefined;
}

// A date without a year means the next year if it is more than this many days in the past, otherwise the current year.
const PAST_DAYS = 60;

function nextDate(day: number, month: number, today: string): string | undefined {
  const year = Number(today.slice(0, 4));
  const date = dateOf(year, month, day);
  return date && date < addDays(today, -PAST_DAYS) ? dateOf(year + 1, month, day) : date;
}

const dateOf = (year: number, month: number, day: number) => DateTime.fromObject({ year, month, day }, { zone: 'utc' }).toISODate() ?? undefined;
