// Lists of links from which a patient chooses: types, doctors, days and times.
import { formatClockTime, formatLongDay, type Language } from '@clinic/lib/formats/day-text.ts';
import { addMonths, isMonth } from '@clinic/lib/formats/local-date.ts';
import { escapeXml } from '@clinic/lib/formats/svg.ts';
import type { BookableDay, BookableSlot } from '@clinic/proto/scheduling/v1/public_booking_pb.js';
import { DateTime } from 'luxon';
import { BOOKING_TEXTS } from './booking-texts.ts';

/** How many months ahead a page shows. */
const MONTHS_AHEAD = 12;

/** A day and a time, which is not divided at the end of a line. */
export const whenOf = (date: string, time: string, lang: Language) => `${formatLongDay(date, lang)}, ${formatClockTime(time, lang).replaceAll(' ', '\u00A0')}`;

export const choice = (href: string, text: string, detail = '') =>
  `<li><a class="choice" href="${escapeXml(href)}">${escapeXml(text)}${detail && ` <span class="help">${escapeXml(detail)}</span>`}</a></li>`;

export const listOf = (choices: string[], none = '', className = 'choices') =>
  choices.length > 0 ? `<ul class="${className}">\n${choices.join('\n')}\n</ul>` : `<p>${none}</p>`;

/**
 * The month that the page of the days shows: `chosen` if a link of the page leads to it, or else the current month. If the patient has chosen none
 * and nothing is free until the end of the current month, the next month if that has free times.
 */
export async function findDays(chosen: string, current: string, list: (month: string) => Promise<{ days: BookableDay[] }>) {
  const isShown = isMonth(chosen) && chosen >= current && chosen <= addMonths(current, MONTHS_AHEAD);
  const daysOf = async (month: string) => ({ month, ...(await list(month)) });
  const first = await daysOf(isShown ? chosen : current);
  if (chosen || hasFree(first)) return first;
  const next = await daysOf(addMonths(current, 1));
  return hasFree(next) ? next : first;
}

const hasFree = ({ days }: { days: BookableDay[] }) => days.some(({ free }) => free > 0);

/** The days of a month that have free times, between links to the months around it. */
export function listDays(
  lang: Language,
  month: string,
  current: string,
  days: BookableDay[],
  linkTo: (chosen: { month: string } | { date: string }) => string,
): string {
  const texts = BOOKING_TEXTS[lang];
  const choices = days.filter(({ free }) => free > 0).map(({ date, free }) => choice(linkTo({ date }), formatLongDay(date, lang), texts.free(free)));
  const link = (to: string, text: string) => `<a href="${escapeXml(linkTo({ month: to }))}">${text}</a>`;
  const before = month > current ? link(addMonths(month, -1), texts.previousMonth) : '';
  const after = month < addMonths(current, MONTHS_AHEAD) ? link(addMonths(month, 1), texts.nextMonth) : '';
  const name = DateTime.fromISO(`${month}-01`, { zone: 'utc' })
    .setLocale(lang)
    .toFormat(lang === 'es' ? "LLLL 'de' yyyy" : 'LLLL yyyy');
  return `<nav class="months">${before}<strong>${name}</strong>${after}</nav>\n${listOf(choices, texts.noDays)}`;
}

/** The free times of a day. */
export function listTimes(lang: Language, date: string, slots: BookableSlot[], linkTo: (time: string) => string): string {
  const choices = slots.map(({ startTime }) => choice(linkTo(startTime), formatClockTime(startTime, lang)));
  return `<p>${formatLongDay(date, lang)}</p>\n${listOf(choices, BOOKING_TEXTS[lang].noTimes, 'choices times')}`;
}
