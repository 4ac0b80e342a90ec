// The times of day that a message names, and the wishes that it expresses about them.
import { foldClockTimes } from '@clinic/lib/formats/day-text.ts';
import { containsAny, foldPhrase, splitPhrases } from '@clinic/lib/formats/phrases.ts';

/**
 * `times`: what a clock time may mean, HH:MM: two, unless the message indicates am or pm. The wanted time is at or after `from` and before `to`.
 * `isLast`: the last times of the day. `isAny`: the first free time within the limits.
 */
export type TimeWish = { times?: string[]; from?: string; to?: string; isLast?: true; isAny?: true };

const NOON = '12:00';
const EVENING = '18:00';
const PARTS_OF_DAY: [phrases: string[], part: TimeWish][] = [
  [
    splitPhrases(
      'a ultima hora|ultima hora|ultimas horas|lo mas tarde|algo mas tarde|hora mas tarde|otra mas tarde|mas tardecito|as late as possible|something later|anything later',
    ),
    { isLast: true },
  ],
  [splitPhrases('en la noche|por la noche|a la noche|la noche de|la noche del|por las noches|en las noches|de noche|evening'), { from: EVENING }],
  [
    splitPhrases('la tarde|por las tardes|en las tardes|de tarde|tardecita|despues del almuerzo|despues de almuerzo|despues de almorzar|afternoon|after lunch'),
    { from: NOON },
  ],
  [
    splitPhrases(
      'en la manana|por la manana|a la manana|la manana de|la manana del|manana temprano|temprano|mananita|a primera hora|primeras horas|in the morning|morning|por las mananas|en las mananas|antes del almuerzo|antes de almuerzo|antes de almorzar|before lunch',
    ),
    { to: NOON },
  ],
];
const GREETINGS = /\b(?:buenas? (?:tardes|noches|d[ií]as?)|good (?:morning|afternoon|evening))\b/giu;

const TIME = String.raw`(\d{1,2}(?:h\d{2}(?:am|pm)?)?)`;
/** Limits of the time. `$` stands for a time, which may be a number alone. The first row that matches decides. */
const LIMITS: [phrase: RegExp, first: 'from' | 'to', second?: 'to'][] = (
  [
    ['(?:entre|de|desde|between|from) $ (?:y|a|hasta|and|to|and the) $', 'from', 'to'],
    ['(?:antes d?e?|a mas tardar a?|before|until|hasta) (?:las? )?$', 'to'],
    ['(?:despues d?e?|luego de|pasadas?|a partir de|desde|mas de|after|from) (?:las? )?$', 'from'],
    ['(?:de )?$ en adelante', 'from'],
    [String.raw`(?:salgo|i get off|i get out)(?: \p{L}+){0,3} $`, 'from'],
    ['$ (?:or later|onwards)', 'from'],
  ] as const
).map(([phrase, ...sides]) => [
  new RegExp(` ${phrase.replaceAll('$', TIME)}(?= )(?! (?:minutos?|horas?|dias?|semanas?|meses|days?|hours?|weeks?) )`, 'u'),
  ...sides,
]);

/** Words beside which a number alone is a time: «mejor a 9», «9 por favor». */
const FILLERS = new Set(
  `a al si ok okay vaya va bueno mejor entonces como tipo eso de para por favor porfa porfavor gracias esta bien la las me gustaria quiero quisiera puede
  podria ser seria que please at around hora horas numero opcion ahi pues`.split(/\s+/),
);

const toTime = (hour: number, minute: string) => `${String(hour).padStart(2, '0')}:${minute}`;

/** The times that `9h30am`, `9h30` or `9` may mean. */
function timesOf(token: string): string[] {
  const [, digits, minute = '00', half] = /^(\d{1,2})(?:h(\d{2})(am|pm)?)?$/.exec(token) ?? [];
  const hour = Number(digits);
  if (hour > 23) return []; // a day: «24 en la tarde»
  const hours = half === 'pm' ? [(hour % 12) + 12] : half === 'am' ? [hour % 12] : [hour, hour + 12];
  return minute < '60' ? hours.filter((one) => one < 24).map((one) => toTime(one, minute)) : [];
}

/** The likeliest of the times that a clock time may mean. Without am or pm, one to six o'clock is in the afternoon. */
export const likeliestTime = (times: string[]): string | undefined => times.find((time) => time >= '07:00') ?? times[0];

const ANY_TIME = splitPhrases('cualquier hora|cualquiera hora|hora que sea|any time|anytime|whatever time');
/** «Cualquier hora menos a las 8» refuses that hour. */
const EXCEPT = /\b(?:menos|excepto|except)\s+(?=(?:a |at )?(?:las? )|en la |por la )/gi;

const NEGATIONS = splitPhrases("no|ni|tampoco|nunca|not|can't|cannot|can t");
/** Polite questions that are not refusals. */
const POLITE = / (?:por que no|no (?:tiene|tienen|tendra|tendran|hay|habra|habria|podria|podrian|se podra|me puede|me pueden|sera))(?= )/g;
const CLAUSES = /[,;!?\n]|\.(?!\d)|\b(?:pero|mejor|sino|prefiero|but|rather)\b/i;
const HALF_OF_DAY = /\b([ap])\.\s?m\b\.?/gi;

/** The parts of a message that ask for something, and those that refuse it: «a las 9 no puedo», of «a las 9 no puedo, a las 10 sí». */
export function splitRefusals(text: string): { wanted: string; refused: string } {
  const parts = text.replaceAll(HALF_OF_DAY, '$1m').replaceAll(GREETINGS, ' ').split(CLAUSES);
  const isRefusal = (part: string) => containsAny(foldPhrase(part).replaceAll(POLITE, ''), NEGATIONS);
  return { wanted: parts.filter((part) => !isRefusal(part)).join(' , '), refused: parts.filter(isRefusal).join(' , ') };
}

/** Undefined when the text names no time. */
function parsePart(text: string): TimeWish | undefined {
  const words = foldClockTimes(text);
  for (const [phrase, first, second] of LIMITS) {
    const [found, one = '', two = ''] = phrase.exec(words) ?? [];
    const [limit, end] = [likeliestTime(timesOf(one)), second && likeliestTime(timesOf(two))];
    if (found !== undefined && limit) return { [first]: limit, ...(end && { to: end }) };
  }
  const clock = / (\d{1,2}h\d{2}(?:am|pm)?) /.exec(words)?.[1] ?? bareNumber(words);
  const times = clock === undefined ? [] : timesOf(clock);
  if (times.length > 0) return { times };
  return PARTS_OF_DAY.find(([phrases]) => containsAny(foldPhrase(text), phrases))?.[1] ?? (/^ (?:tarde|noche) $/.test(words) ? { from: NOON } : undefined);
}

/** The only number of a message that says nothing else, or the only two: ` 10 30 `. */
function bareNumber(words: string): string | undefined {
  const [, hour, minute] = /^ (\d{1,2}) (00|15|30|45) $/.exec(words) ?? [];
  if (hour !== undefined) return `${hour}h${minute}`;
  const tokens = words.trim().split(' ');
  const numbers = tokens.filter((token) => /^\d{1,2}$/.test(token));
  return numbers.length === 1 && tokens.every((token) => token === numbers[0] || FILLERS.has(token)) ? numbers[0] : undefined;
}

/** What a message asks for; `refused` are times that it refuses, HH:MM. Undefined when it says nothing about times. */
export function parseTimeWish(text: string): (TimeWish & { refused?: string[] }) | undefined {
  const isAny = containsAny(foldPhrase(text), ANY_TIME);
  const { wanted, refused } = splitRefusals(isAny ? text.replaceAll(EXCEPT, ', no ') : text);
  const found = parsePart(wanted);
  const wish: TimeWish | undefined = isAny && !found?.times && !parsePart(refused) ? { ...found, isAny } : found;
  const not = wish ? undefined : parsePart(refused);
  // «No puedo antes de las 10» asks for ten o'clock or later.
  if (not?.times) return { refused: not.times };
  return wish ?? (not && { ...(not.to !== undefined && { from: not.to }), ...(not.from !== undefined && { to: not.from }) });
}

/** Whether a time, HH:MM, is within the limits of a wish. */
export const suits = ({ from = '00:00', to = '24:00' }: TimeWish, time: string): boolean => time >= from && time < to;
