// When a visit is, as the bot says it, and as patients choose it.
import { clock, type Language, longDay } from '@clinic/lib/formats/local-days.ts';

export type When = { doctorName: string; date: string; time: string };

/** The line of a visit. */
export const visitLine = ({ doctorName, date, time }: When, language: Language) => `📅 ${longDay(date, language)}, ${clock(time, language)}, ${doctorName}`;

/** The free time that a message names: `8`, `8:30`, `a las 2 pm`. Without am or pm the one that is free. */
export function timeIn(text: string, free: readonly string[]): string | undefined {
  const found = /(?:^|\D)(\d{1,2})(?:[:.](\d{2})|\s*h)?\s*(a\.?\s?m|p\.?\s?m)?(?:\W|$)/i.exec(text.toLowerCase());
  if (!found) return undefined;
  const [hour, minute, half] = [Number(found[1]), found[2] ?? '00', found[3]?.[0]];
  const hours = half === 'p' ? [(hour % 12) + 12] : half === 'a' ? [hour % 12] : [hour, hour + 12];
  return hours.map((one) => `${String(one).padStart(2, '0')}:${minute}`).find((time) => free.includes(time));
}
