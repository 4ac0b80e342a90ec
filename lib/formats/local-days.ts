// Days and times of the clock as people write and read them, in Spanish and English.
import { DateTime } from 'luxon';
import { containsPhrase } from './words.ts';

export type Language = 'es' | 'en';

export const dateIn = (zone: string, now: Date) => DateTime.fromJSDate(now, { zone }).toISODate() ?? '';
export const addDays = (date: string, days: number) => DateTime.fromISO(date, { zone: 'utc' }).plus({ days }).toISODate() ?? date;
export const nextMonth = (month: string) => DateTime.fromISO(`${month}-01`, { zone: 'utc' }).plus({ months: 1 }).toFormat('yyyy-MM');

/** `mar 2 jun` or `Tue 2 Jun`, for a row. */
export const formatShortDay = (date: string, language: Language) =>
  DateTime.fromISO(date, { zone: 'utc' }).setLocale(language).toFormat('ccc d LLL').replaceAll('.', '');

/** `martes 2 de junio` or `Tuesday, 2 June`. */
export function formatLongDay(date: string, language: Language): string {
  const day = DateTime.fromISO(date, { zone: 'utc' }).setLocale(language);
  return language === 'es' ? day.toFormat("cccc d 'de' LLLL") : day.toFormat('cccc, d LLLL');
}

/** `8:30 a. m.` or `8:30 AM` of HH:MM or HH:MM:SS. */
export function formatClockTime(time: string, language: Language): string {
  const hour = Number(time.slice(0, 2));
  const half = language === 'es' ? (hour < 12 ? 'a. m.' : 'p. m.') : hour < 12 ? 'AM' : 'PM';
  return `${hour % 12 || 12}:${time.slice(3, 5)} ${half}`;
}

const WEEKDAYS = [
  ['lunes', 'monday'],
  ['martes', 'tuesday'],
  ['miercoles', 'wednesday'],
  ['jueves', 'thursday'],
  ['viernes', 'friday'],
  ['sabado', 'saturday'],
  ['domingo', 'sunday'],
];
const MONTHS = [
  ['enero', 'january'],
  ['febrero', 'february'],
  ['marzo', 'march'],
  ['abril', 'april'],
  ['mayo', 'may'],
  ['junio', 'june'],
  ['julio', 'july'],
  ['agosto', 'august'],
  ['septiembre', 'september'],
  ['octubre', 'october'],
  ['noviembre', 'november'],
  ['diciembre', 'december'],
];

/** The day that a message names, from `today` on; undefined when it names none. `said` as plain() gives it. */
export function parseDay(said: string, today: string, language: Language): string | undefined {
  const iso = / (\d{4}) (\d{1,2}) (\d{1,2}) /.exec(said);
  if (iso) return dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  if (containsPhrase(said, 'pasado manana') || containsPhrase(said, 'day after tomorrow')) return addDays(today, 2);
  if (containsPhrase(said, 'hoy') || containsPhrase(said, 'today')) return today;
  if (containsPhrase(said, 'manana') || containsPhrase(said, 'tomorrow')) return addDays(today, 1);
  const month = MONTHS.findIndex((names) => names.some((name) => containsPhrase(said, name))) + 1;
  const number = Number(/ (\d{1,2})(?:st|nd|rd|th)? /.exec(said)?.[1] ?? 0);
  if (month > 0 && number > 0) return comingDay(number, month, today);
  const slashed = / (\d{1,2}) (\d{1,2}) /.exec(said);
  if (slashed) {
    const [first, second] = [Number(slashed[1]), Number(slashed[2])];
    return language === 'en' ? comingDay(second, first, today) : comingDay(first, second, today);
  }
  const weekday = WEEKDAYS.findIndex((names) => names.some((name) => containsPhrase(said, name))) + 1;
  if (weekday > 0) return addDays(today, (weekday - DateTime.fromISO(today, { zone: 'utc' }).weekday + 7) % 7);
  return undefined;
}

// A day that is long over means the next year's; one that has just passed is a slip.
const LONG_AGO = 60;

function comingDay(day: number, month: number, today: string): string | undefined {
  const year = Number(today.slice(0, 4));
  const date = dateOf(year, month, day);
  return date && date < addDays(today, -LONG_AGO) ? dateOf(year + 1, month, day) : date;
}

const dateOf = (year: number, month: number, day: number) => DateTime.fromObject({ year, month, day }, { zone: 'utc' }).toISODate() ?? undefined;
