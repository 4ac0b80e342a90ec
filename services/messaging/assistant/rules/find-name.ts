// Finds the name of a person in a question, without the words of time, courtesy and kinship around it.
import { NO_NAMES } from './common-names.ts';
import { CONNECTS, findNames, wordsOf } from './mask-names.ts';

/** `sure`: it contains a common name, or a capital letter or title where only a name has one. */
type Name = { text: string; sure: boolean; start: number; end: number };

const NOBODY: ReadonlySet<string> = new Set();

/** Sequences of words that are not ordinary words. */
function listNames(phrase: string): Name[] {
  const text = phrase.replaceAll(/['’]s(?!\p{L})/gu, '  '); // María López's
  const sureRanges = findNames(text, NOBODY);
  const names: Name[] = [];
  for (const { plain, start, end } of wordsOf(text)) {
    const sure = sureRanges.some((range) => start >= range.start && end <= range.end);
    if (!sure && (plain.length < 2 || NO_NAMES.has(plain))) continue;
    const last = names.at(-1);
    const between = text.slice(last?.end ?? 0, start);
    // «el expediente de María» is not one name, «María de la O» is.
    const isSame = last !== undefined && (/^ +$/.test(between) || (CONNECTS.test(between) && last.sure));
    if (isSame) names[names.length - 1] = { text: text.slice(last.start, end), sure: last.sure || sure, start: last.start, end };
    else names.push({ text: text.slice(start, end), sure, start, end });
  }
  return names;
}

const after = (text: string, beginning: string) => {
  const found = new RegExp(`(?:^|[^\\p{L}])(?:${beginning})(?=[^\\p{L}])`, 'iu').exec(text);
  return found ? { start: found.index, rest: text.slice(found.index + found[0].length), offset: found.index + found[0].length } : undefined;
};

/** The name after the first of the beginnings that is followed by one. */
export function findNameAfter(text: string, ...beginnings: string[]): string | undefined {
  for (const beginning of beginnings) {
    const names = listNames(after(text, beginning)?.rest ?? '');
    const name = names.find(({ sure }) => sure) ?? names[0];
    if (name) return name.text;
  }
  return undefined;
}

/** The first sure name anywhere in the text. */
export const findSureName = (text: string): string | undefined => listNames(text).find(({ sure }) => sure)?.text;

const ARTICLE = /^[\s.]*(?:(?:el|la|the)\s+)?$/i;

/** The doctor in a question, such as «con la Dra. Rivas», and the text without that part. */
export function takeDoctor(text: string): { doctor: string | undefined; rest: string } {
  for (const beginning of ['dra?\\.?', 'doctora?', 'con', 'with']) {
    const found = after(text, beginning);
    const [name] = listNames(found?.rest ?? '');
    const isName =
      name !== undefined && ARTICLE.test(found?.rest.slice(0, name.start) ?? '') && (beginning.startsWith('d') || name.sure || /^\p{Lu}/u.test(name.text));
    if (found && isName) return { doctor: name.text, rest: `${text.slice(0, found.start)};${text.slice(found.offset + name.end)}` };
  }
  return { doctor: undefined, rest: text };
}
