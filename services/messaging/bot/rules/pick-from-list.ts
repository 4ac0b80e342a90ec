// Lists that a patient chooses from: their pages, and the entry that a message names.
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { MOST_ROWS } from './replies.ts';

/** A page of a list. Where there are several pages, the last row leads to the next one. */
export const pageOf = <E>(all: E[], page: number): E[] => (all.length <= MOST_ROWS ? all : all.slice(page * (MOST_ROWS - 1), (page + 1) * (MOST_ROWS - 1)));

/** The number of the page after `page`, or 0 after the last one. */
export const nextPage = (all: unknown[], page: number): number => ((page + 1) * (MOST_ROWS - 1) < all.length ? page + 1 : 0);

/** The entry whose place in the list, from 1, is the whole message. `words` as foldPhrase() returns them, here and below. */
export const findByNumber = <E>(listed: E[], words: string): E | undefined => listed[Number(/^ (\d{1,2}) $/.exec(words)?.[1] ?? 0) - 1];

const ORDINALS = ['primero?|primera|first', 'segund[oa]|second', 'tercero?|tercera|third', 'cuart[oa]|fourth'];
const PLACES = ORDINALS.map((ordinal) => new RegExp(`^ (?:(?:con|with) )?(?:el|la|the) (?:${ordinal})(?: (?:opcion|cita|doctora?|persona|one))? $`));

/** The entry whose number, or «la primera» to «la cuarta», is the whole message. */
export const findByPlace = <E>(listed: E[], words: string): E | undefined =>
  findByNumber(listed, words) ?? listed[PLACES.findIndex((place) => place.test(words))];

/** Whether all words of a name are words of the other one. */
export function isPartOf(part: string, name: string): boolean {
  const words = foldPhrase(name);
  return foldPhrase(part)
    .trim()
    .split(' ')
    .every((word) => words.includes(` ${word} `));
}

/** Parts of names that identify nobody. */
const COMMON_PARTS = new Set(['cita', 'citas', 'primer', 'primera', 'hora', 'appointment', 'first', 'dra', 'del', 'las', 'los', 'con', 'para', 'and', 'the']);

/** The first title of a doctor in a folded text. */
const titleIn = (words: string) => / (dra?|doctora?) /.exec(words)?.[1]?.replace('doctor', 'dr');

/** The entry whose name the message is, or with the most words of its name in it; undefined when there is none, or several entries have equally many. */
export function findByName<E extends { name: string }>(listed: E[], words: string): E | undefined {
  const partsOf = (name: string) =>
    foldPhrase(name)
      .trim()
      .split(' ')
      .filter((part) => part.length > 2 && !COMMON_PARTS.has(part));
  const hits = listed.map(({ name }) => partsOf(name).filter((part) => words.includes(` ${part} `)));
  const most = Math.max(...hits.map(({ length }) => length));
  const same = listed.find(({ name }) => foldPhrase(name) === words);
  if (same) return same;
  const likeliest = most > 0 ? listed.filter((_, index) => hits[index]?.length === most) : [];
  // «El Dr. Paz» is not «Dra. Paz», but «con el Dr. Paz o la Dra. Rivas» names two.
  const isOneName = new Set(hits.filter(({ length }) => length === most).map(String)).size === 1;
  const title = isOneName ? titleIn(words) : undefined;
  const titled = title === undefined ? [] : likeliest.filter(({ name }) => titleIn(foldPhrase(name)) === title);
  const [only, ...others] = titled.length === 1 ? titled : likeliest;
  return others.length === 0 ? only : undefined;
}
