// Formats days and times for messages in Spanish and English, and finds the day that a message names.
import { DateTime, Info } from 'luxon';
import { addDays, nextMonth } from './local-date.ts';
import { containsAny, containsPhrase, foldPhrase, splitPhrases } from './phrases.ts';

export type Language = 'es' | 'en';

/** `mar 2 jun` or `Tue 2 Jun`. */
export const formatShortDay = (date: string, language: Language) =>
  DateTime.fromISO(date, { zone: 'utc' }).setLocale(language).toFormat('ccc d LLL').replaceAll('.', '');

/** `martes 2 de junio` or `Tuesday, 2 June`. */
export function formatLongDay(date: string, language: Language): string {
  const day = DateTime.fromISO(date, { zone: 'utc' }).setLocale(language);
  return language === 'es' ? day.toFormat("cccc d 'de' LLLL") : day.toFormat('cccc, d LLLL');
}

/** `lunes` or `Monday`; 1 is Monday. */
export const formatWeekday = (weekday: number, language: Language) => Info.weekdays('long', { locale: language })[weekday - 1] ?? '';

/** 2026-08-03 → `3 de agosto de 2026`. */
export const spanishDate = (date: string) => DateTime.fromISO(date, { zone: 'utc' }).setLocale('es-SV').toFormat("d 'de' LLLL 'de' yyyy");

/** HH:MM or HH:MM:SS as `8:30 a. m.` or `8:30 AM`. */
export function formatClockTime(time: string, language: Language): string {
  const hour = Number(time.slice(0, 2));
  const half = language === 'es' ? (hour < 12 ? 'a. m.' : 'p. m.') : hour < 12 ? 'AM' : 'PM';
  return `${hour % 12 || 12}:${time.slice(3, 5)} ${half}`;
}

/** `27 de noviembre de 2026 a las 2:05 p. m.`, as local time of `zone`. */
export function spanishInstant(at: Date, zone: string): string {
  const local = DateTime.fromJSDate(at, { zone });
  const time = formatClockTime(local.toFormat('HH:mm'), 'es');
  return `${spanishDate(local.toISODate() ?? '')} ${time.startsWith('1:') ? 'a la' : 'a las'} ${time}`;
}

const inBoth = (list: (locale: Language) => string[]) => list('es').map((name, index) => [name, list('en')[index] ?? '']);
const WEEKDAYS = inBoth((locale) => Info.weekdays('long', { locale }));
const MONTHS = inBoth((locale) => Info.months('long', { locale }));
/** With their short forms, which are also other words and only count after a number: `30 de nov`. */
const ALL_MONTHS = inBoth((locale) => Info.months('short', { locale })).map((short, index) => [
  ...(MONTHS[index] ?? []),
  ...short,
  short[0]?.slice(0, 3) ?? '',
]);

const NUMBERS = [
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve veinte',
  'zero one two three four five six seven eight nine ten eleven twelve',
];
const DIGITS = new Map<string, string>([
  ...NUMBERS.flatMap((words) => words.split(' ').map((word, number) => [word, String(number)] as const)),
  ...'veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve treinta'
    .split(' ')
    .map((word, index) => [word, String(21 + index)] as const),
  ['thirty', '30'],
  ['cuarenta', '40'],
  ['cincuenta', '50'],
  ['primero', '1'],
]);
const withDigits = (folded: string) => folded.replaceAll(/[a-z]+/g, (word) => DIGITS.get(word) ?? word).replaceAll(/ ([345])0 y ([1-9])(?= )/g, ' $1$2');

/** Words after a number that make it a count, not a time: «15 minutos». */
const COUNTED =
  '(?:minutos?|min|mins|minutes?|horas?|hours?|dias?|days?|semanas?|weeks?|mes|meses|months?|anos?|years?|personas?|people|ninos?|ninas?|kids|hijos?|hijas?|citas?|muelas?|dientes?|piezas?|dolares|veces)';
const MINUTES = '(?:00|15|20|25|30|35|40|45|50|55)';
/** Names of a list, as one alternative of a pattern. */
const anyOf = (names: string[][]) => `(${foldPhrase(names.flat().join(' ')).trim().replaceAll(' ', '|')})`;
const WEEKDAY_NAMES = anyOf(WEEKDAYS).slice(1, -1);
const TIME = String.raw`\d{1,2}h\d{2}`;
const HOURS = '(?:hrs?|hs|h)';
const HOUR_24 = String.raw`(0\d|1\d|2[0-3])`;
/** After 12: noon. */
const NOON = '(?:m d|md|m|(?:del|de) dia)';
const MINUTES_TO = '(5|10|15|20|25)';
const hourBefore = (hour: string) => String(((Number(hour) + 10) % 12) + 1);
const beforeHour = (hour: string, minutes: string) => ` ${hourBefore(hour)}h${60 - Number(minutes)}`;
const quarterTo = (_: string, hour: string) => beforeHour(hour, '15');

/** Replaces what patients write for a clock time by `9h30`, followed by `am` or `pm` if the message indicates it. In this order. */
const CLOCK_REWRITES: [pattern: string, replacement: string | ((match: string, first: string, second: string) => string)][] = [
  ['(?:dela|d la)(?= (?:manana|tarde|noche) )', ' de la'],
  ['la una', ' la 1'],
  ['una(?= (?:y media|y cuarto|menos|en punto|pm|de la tarde) )', ' 1'],
  ['(?:las )?(?:12 )?(?:a |al |de |del )?(?:mediodia|medio dia|noon|midday)', ' 12h00pm'],
  [`(?:a )?(?:las )?12 ?${NOON}`, ' 12h00pm'],
  [String.raw`(?:a )?(?:las )?(12h\d{2}) ?${NOON}`, ' $1pm'],
  ['(?:a |las )*(?:12 )?(?:a |de )?(?:la )?(?:medianoche|media noche|midnight)', ' 12h00am'],
  // «El 15 para las 4» names a date.
  [
    String.raw`(?:faltando |faltan |(?<! (?:el|del|este|dia|de|proximo|viene|entrante|${WEEKDAY_NAMES}) ))${MINUTES_TO} (?:para|pa) las? (\d{1,2})`,
    (_, minutes, hour) => beforeHour(hour, minutes),
  ],
  [String.raw`(?:un )?cuarto (?:para|pa) las? (\d{1,2})`, quarterTo],
  [String.raw`quarter to (\d{1,2})`, quarterTo],
  [String.raw`(\d{1,2}) menos (?:un )?cuarto`, quarterTo],
  [String.raw`(\d{1,2}) menos ${MINUTES_TO}`, (_, hour, minutes) => beforeHour(hour, minutes)],
  [String.raw`half past (\d{1,2})`, ' $1h30'],
  [String.raw`quarter past (\d{1,2})`, ' $1h15'],
  [String.raw`(\d{1,2}) y media`, ' $1h30'],
  [String.raw`(\d{1,2}) y cuarto`, ' $1h15'],
  [String.raw`(\d{1,2}) (?:y|con) (${MINUTES})`, ' $1h$2'],
  [String.raw`(las?|at) (\d{1,2}) (${MINUTES})`, ' $1 $2h$3'],
  [`${HOUR_24}(${MINUTES}) ?(?:${HOURS}|horas)`, ' $1h$2'],
  [`las ${HOUR_24} horas`, ' $1h00'],
  [String.raw`(\d{1,2}) ?(?:en punto|o clock|${HOURS})`, ' $1h00'],
  [String.raw`(\d{1,2})(?= (?:am|pm|de la (?:manana|tarde|noche|madrugada)|de (?:tarde|noche)) )`, ' $1h00'],
  // «Lunes 7 en la tarde» and «el 7 por la mañana» name a date.
  [String.raw`(?<! (?:el|dia|the|${WEEKDAY_NAMES}) )(\d{1,2})(?= (?:(?:por|en) la (?:manana|tarde|noche)|in the (?:morning|afternoon|evening)) )`, ' $1h00'],
  [String.raw`(?:a |como a |a eso de |tipo |around )*(?:las?|at) (\d{1,2})(?! ${COUNTED} )`, ' $1h00'],
  [`(?:a |como a |a eso de |tipo |around )*(?:las?|at) (${TIME})`, ' $1'],
  [String.raw`(?:como a|a eso de|(?<! diabet[a-z]+ )tipo|around) (\d{1,2})(?! ${COUNTED} )`, ' $1h00'],
  [`(${TIME}) ?(?:en punto|${HOURS}|horas?)`, ' $1'],
  // «Las 12 de la mañana» is noon, and «las 12 de la noche» midnight.
  [String.raw`(12h\d{2}) de la manana`, ' $1pm'],
  [String.raw`((?:12|[1-4])h\d{2}) (?:(?:de|por|en) la |de )?(?:noche|madrugada)`, ' $1am'],
  [String.raw`(12h\d{2}) at night`, ' $1am'],
  [`(${TIME}) (?:am|(?:de|por|en) la (?:manana|madrugada)|in the morning)`, ' $1am'],
  [`(${TIME}) (?:pm|(?:(?:de|por|en) la |de )?(?:tarde|noche)|in the (?:afternoon|evening))`, ' $1pm'],
];
const COMPILED_REWRITES = CLOCK_REWRITES.map(([pattern, replacement]) => [new RegExp(` ${pattern}(?= )`, 'g'), replacement] as const);

/**
 * Folds a message as foldPhrase() does, with numbers as digits and clock times as `9h30`, `9h30am` or `9h30pm`: «a las nueve y media» becomes
 * ` 9h30 `. A number that nothing marks as a time stays a number.
 */
export function foldClockTimes(text: string): string {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const marked = plain
    .replaceAll(/(\d|\b)\s?([ap])\.?\s?m\b\.?/g, '$1 $2m ')
    .replaceAll(/(\d{1,2}):(\d{2})/g, ' $1h$2 ')
    .replaceAll(/(?<=\b(?:las?|at) )(\d{1,2})\.(\d{2})\b/g, '$1h$2')
    .replaceAll(/(?<=\b(?:las?|at) )(\d{1,2})-\d{1,2}\b/g, '$1')
    .replaceAll(/(?<![\d/.-])(\d{1,2})\.(00|15|30|45)(?![\d/.-])/g, '$1h$2');
  let folded = withDigits(foldPhrase(marked));
  for (const [pattern, replacement] of COMPILED_REWRITES) folded = folded.replaceAll(pattern, replacement as string);
  return folded;
}

const TIMES_AND_LENGTHS = new RegExp(` (?:${TIME}(?:am|pm)?|\\d{1,3} (?:minutos?|min|mins|minutes?|horas?|hours?))(?= )`, 'g');

/** Folds a message for parseDay(), without its clock times: `9:10` and `a las 9.10` do not name a day of October. */
export const withoutClockTimes = (text: string): string => foldClockTimes(text).replaceAll(TIMES_AND_LENGTHS, '');

/** The day that a message asks for. */
export type DayWish =
  /** A date. `or`: another date that the words may mean if the first one does not suit, since «en 15 días» is also said for two weeks. */
  | { kind: 'date'; date: string; or?: string }
  /** Any day from the date on. */
  | { kind: 'from'; date: string }
  | { kind: 'soonest' }
  /** A date with a weekday that is not its own: «lunes 8 de diciembre» when the 8th is a Tuesday. */
  | { kind: 'mismatch'; date: string }
  /** A day before today that is not named by its date: «para ayer», «el lunes pasado». */
  | { kind: 'past' }
  /** A date that no year has, or not the coming one: «31 de febrero», «el 32». */
  | { kind: 'impossible' };

type DayMessage = { words: string; today: string; language: Language /** 1 is Monday; 0: none is named. */; weekday: number };

// «El viernes por la mañana» and «la mañana del viernes» are Friday morning; `mañana` does not mean tomorrow there.
const MORNING = / (?:(?:de|por|en|a) (?:la|las) mananas?(?= )|la manana(?= del? ))/g;
const WEEK_AHEAD = splitPhrases('proxima semana|semana proxima|semana que viene|otra semana|semana entrante|semana siguiente|siguiente semana|next week');
const THIS_WEEK = splitPhrases('esta semana|this week');
const WEEKEND = splitPhrases('fin de semana|finde|weekend');
const MONTH_AHEAD = splitPhrases('proximo mes|mes que viene|otro mes|mes entrante|next month');
const END_OF_MONTH = splitPhrases('fin de mes|finales de mes|fines de mes|end of the month');
const SOONEST = splitPhrases(
  'lo mas pronto|lo antes posible|cuanto antes|lo mas cercano|la mas cercana|la mas proxima|el mas proximo|cuando haya|cuando tenga|cuando tengan|cualquier dia|el dia que sea|primer espacio|primera hora disponible|primera cita disponible|primera disponible|para ahorita|ahorita mismo|atenderme ahorita|cita ahorita|cupo ahorita|espacio ahorita|as soon as possible|asap|earliest|soonest|any day|first available',
);
const DAY_UNITS = ['dia', 'dias', 'day', 'days'];
const WEEK_UNITS = ['semana', 'semanas', 'week', 'weeks'];

const weekdayOf = (date: string) => DateTime.fromISO(date, { zone: 'utc' }).weekday;
const firstWeekday = (weekday: number, from: string) => addDays(from, (weekday - weekdayOf(from) + 7) % 7);
const mondayAfter = (today: string) => firstWeekday(1, addDays(today, 1));
const onDate = (date: string | undefined): DayWish | undefined => (date === undefined ? undefined : { kind: 'date', date });
const IMPOSSIBLE: DayWish = { kind: 'impossible' };
const LAST_OF_MONTH = 31;
const isDayOfMonth = (day: number, month: number) => day >= 1 && day <= LAST_OF_MONTH && month >= 1 && month <= 12;

const indexIn = (names: string[][], name = '') => names.findIndex((both) => both.some((one) => foldPhrase(one) === ` ${name} `)) + 1;
const NUMBER = String.raw`(\d{1,2})(?:st|nd|rd|th|ro|ero|er|o)?`;
const AFTER_WEEKDAY = new RegExp(` ${anyOf(WEEKDAYS)} (?:proximo |que viene |entrante )?(?:el )?(?:dia )?${NUMBER}(?= )`);
const BEFORE_MONTH = new RegExp(` ${NUMBER} (?:de |of )?${anyOf(ALL_MONTHS)}(?= )`);
const AFTER_MONTH = new RegExp(` ${anyOf(MONTHS)} (?:the )?${NUMBER}(?= )`);
const DAY_OF_MONTH = new RegExp(` (?:el|del|este|dia|the) ${NUMBER}(?= )(?! (?:de|of|${COUNTED}) )`);
const EIGHT_DAYS_AFTER = new RegExp(` (hoy|manana|${WEEKDAY_NAMES}) en (\\d{1,2})(?= )(?! ${COUNTED} )`);
const QUALIFIED = (before: string, after: string) => new RegExp(` (?:(?:${before}) ${anyOf(WEEKDAYS)}|${anyOf(WEEKDAYS)} (?:${after}))(?= )`);
const NEXT_WEEKDAY = QUALIFIED('proximo|next', 'proximo|que viene|entrante|siguiente');
const OTHER_WEEKDAY = QUALIFIED('otro', 'de arriba');

const PAST_DAY = `(?:ayer|anteayer|antier|antes de ayer|yesterday|(?:el )?(?:${WEEKDAY_NAMES}|mes|ano) pasad[oa](?! manana )|last (?:${WEEKDAY_NAMES}|week|month))`;
const PAST_DAYS_NAMED = new RegExp(` (?:${PAST_DAY}|(?:la )?semana pasada)(?= )`, 'g');
/** A past day that the message asks for, not one that it only mentions: «ayer me dolió». */
const ASKED_FOR_PAST = new RegExp(`^ ${PAST_DAY} $| (?:para|for|cita|appointment) (?:el dia de )?${PAST_DAY}(?= )`);

/** «Antes del jueves», but not «antes de 10», which is a time. */
const BEFORE_DAY = new RegExp(
  ` (?:antes del? (?:dia )?(?:proximo )?(?:${WEEKDAY_NAMES})|antes del (?:dia )?\\d{1,2}|before (?:next )?(?:${WEEKDAY_NAMES}))(?= )`,
);
const [AFTER_DAY, FROM_DAY] = ['despues|luego|after', 'a partir|starting'].map(
  (words) => new RegExp(` (?:${words}) (?:del? )?(?:dia )?(?:proximo )?(?:(?:${WEEKDAY_NAMES})|(?<=del (?:dia )?)\\d{1,2})(?= )`),
) as [RegExp, RegExp];

/** The first day that is asked for if the message names a date only as a limit: «antes del jueves», «después del 15». */
function firstDayAround(words: string, date: string, today: string): string | undefined {
  if (BEFORE_DAY.test(words)) return today;
  return AFTER_DAY.test(words) ? addDays(date, 1) : FROM_DAY.test(words) ? date : undefined;
}

/** The first rule with a result decides. */
const DAY_RULES: ((message: DayMessage) => DayWish | undefined)[] = [
  function isoDate({ words }) {
    const iso = / (\d{4}) (\d{1,2}) (\d{1,2}) /.exec(words);
    return iso ? (onDate(dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3]))) ?? IMPOSSIBLE) : undefined;
  },
  // «De hoy en ocho» counts the day itself, and means in seven days.
  function eightDaysAfter({ words, today, weekday }) {
    const [, day, count] = EIGHT_DAYS_AFTER.exec(words) ?? [];
    if (day === undefined) return undefined;
    const base = day === 'hoy' ? today : day === 'manana' ? addDays(today, 1) : firstWeekday(weekday, today);
    const days = Number(count);
    return onDate(addDays(base, days === 8 || days === 15 ? days - 1 : days));
  },
  // «En ocho días» is a week. «En quince días» is said for two weeks, but is taken literally unless that day does not suit.
  function daysFromToday({ words, today }) {
    const [, amount, unit = ''] = / (?:en|dentro de|de aqui a|de hoy a|in) (\d{1,3}|una?|a) (\p{L}+)(?= )/u.exec(words) ?? [];
    const count = Number(amount) || 1;
    if (WEEK_UNITS.includes(unit)) return onDate(addDays(today, 7 * count));
    if (unit === 'mes' || unit === 'meses' || unit === 'months' || unit === 'month') return { kind: 'from', date: addDays(today, 30 * count) };
    if (!DAY_UNITS.includes(unit)) return undefined;
    if (count === 8) return { kind: 'date', date: addDays(today, 7), or: addDays(today, 8) };
    return { kind: 'date', date: addDays(today, count), ...(count === 15 && { or: addDays(today, 14) }) };
  },
  function dayByName({ words, today }) {
    if (containsAny(words, [' pasado manana ', ' pasadomanana ', ' day after tomorrow '])) return onDate(addDays(today, 2));
    if (containsAny(words, [' hoy ', ' today '])) return onDate(today);
    return containsAny(words, [' manana ', ' tomorrow ']) ? onDate(addDays(today, 1)) : undefined;
  },
  function dayAndMonth(message) {
    const { words, weekday } = message;
    const [, before, monthAfter] = BEFORE_MONTH.exec(words) ?? [];
    const [, monthBefore, after] = AFTER_MONTH.exec(words) ?? [];
    const month = monthAfter ?? monthBefore ?? MONTHS.flat().find((name) => containsPhrase(words, name));
    const number = before ?? after ?? / (\d{1,2})(?:st|nd|rd|th)? /.exec(words)?.[1];
    const date = month && number ? dateNamed(message, Number(number), indexIn(ALL_MONTHS, foldPhrase(month).trim())) : undefined;
    if (!date) return monthAfter || monthBefore ? IMPOSSIBLE : undefined;
    return weekday > 0 && weekdayOf(date) !== weekday ? { kind: 'mismatch', date } : onDate(date);
  },
  function weekdayAndNumber({ words, today, weekday }) {
    const number = Number(AFTER_WEEKDAY.exec(words)?.[2]);
    if (!number) return undefined;
    if (number > LAST_OF_MONTH) return IMPOSSIBLE;
    const dates = daysOfMonth(number, today);
    const match = dates.slice(0, 2).find((date) => weekdayOf(date) === weekday);
    return match || dates[0] === undefined ? onDate(match) : { kind: 'mismatch', date: dates[0] };
  },
  function slashed(message) {
    const [, first, second] = / (\d{1,2}) (\d{1,2}) /.exec(message.words)?.map(Number) ?? [];
    if (first === undefined || second === undefined) return undefined;
    const [day, month] = message.language === 'en' ? [second, first] : [first, second];
    return onDate(dateNamed(message, day, month)) ?? (isDayOfMonth(day, month) ? IMPOSSIBLE : undefined);
  },
  function weekdayOfWeek({ words, today, weekday }) {
    if (weekday === 0) return undefined;
    if (containsAny(words, WEEK_AHEAD) || OTHER_WEEKDAY.test(words)) return onDate(firstWeekday(weekday, mondayAfter(today)));
    return onDate(firstWeekday(weekday, NEXT_WEEKDAY.test(words) ? addDays(today, 1) : today));
  },
  function someDayOf({ words, today }) {
    if (containsAny(words, WEEK_AHEAD)) return { kind: 'from', date: mondayAfter(today) };
    if (containsAny(words, WEEKEND)) return { kind: 'from', date: weekdayOf(today) === 7 ? today : firstWeekday(6, today) };
    if (containsAny(words, THIS_WEEK)) return { kind: 'from', date: today };
    if (containsAny(words, MONTH_AHEAD)) return { kind: 'from', date: `${nextMonth(today.slice(0, 7))}-01` };
    const late = `${today.slice(0, 7)}-24`;
    return containsAny(words, END_OF_MONTH) ? { kind: 'from', date: late > today ? late : today } : undefined;
  },
  function dayOfMonth({ words, today }) {
    const number = Number(DAY_OF_MONTH.exec(words)?.[1]);
    return number > LAST_OF_MONTH ? IMPOSSIBLE : number ? onDate(daysOfMonth(number, today)[0]) : undefined;
  },
  ({ words }) => (containsAny(words, SOONEST) ? { kind: 'soonest' } : undefined),
];

/** The day that a message asks for, relative to `today`; undefined when it names none. `folded` is the result of withoutClockTimes(). */
export function parseDayWish(folded: string, today: string, language: Language): DayWish | undefined {
  const said = withDigits(folded).replaceAll(MORNING, '');
  if (ASKED_FOR_PAST.test(said)) return { kind: 'past' };
  const words = said.replaceAll(PAST_DAYS_NAMED, '');
  const weekday = WEEKDAYS.findIndex((names) => names.some((name) => containsPhrase(words, name))) + 1;
  for (const rule of DAY_RULES) {
    const wish = rule({ words, today, language, weekday });
    if (!wish) continue;
    const from = wish.kind === 'date' ? firstDayAround(words, wish.date, today) : undefined;
    return from === undefined ? wish : { kind: 'from', date: from };
  }
  return undefined;
}

/** The date that a message names, relative to `today`; undefined when it names none. `folded` is the result of withoutClockTimes(). */
export function parseDay(folded: string, today: string, language: Language): string | undefined {
  const wish = parseDayWish(folded, today, language);
  return wish?.kind === 'date' ? wish.date : undefined;
}

/** A day of the year that the message names, or else of the coming one. */
function dateNamed({ words, today }: DayMessage, day: number, month: number): string | undefined {
  const year = / (20\d{2}) /.exec(words)?.[1];
  return year ? dateOf(Number(year), month, day) : nextDate(day, month, today);
}

// A date without a year means the next year if it is more than this many days in the past, otherwise the current year.
const PAST_DAYS = 60;

function nextDate(day: number, month: number, today: string): string | undefined {
  const year = Number(today.slice(0, 4));
  const date = dateOf(year, month, day);
  return date && date >= addDays(today, -PAST_DAYS) ? date : dateOf(year + 1, month, day);
}

/** The dates of the coming twelve months with this number. */
function daysOfMonth(day: number, today: string): string[] {
  const dates: string[] = [];
  let month = today.slice(0, 7);
  for (let i = 0; i < 12; i++, month = nextMonth(month)) {
    const date = dateOf(Number(month.slice(0, 4)), Number(month.slice(5)), day);
    if (date && date >= today) dates.push(date);
  }
  return dates;
}

const dateOf = (year: number, month: number, day: number) => DateTime.fromObject({ year, month, day }, { zone: 'utc' }).toISODate() ?? undefined;
