// The words by which a document is found. Their blind indexes are stored, so the folding of names must not change.
import { foldWords, withoutApostrophes } from '@clinic/lib/formats/search-name.ts';
import type { Receiver } from './receiver.ts';

const MAX_WORDS = 12;
const MAX_WORD_LENGTH = 60;

const searchWords = (text: string): string[] => [...new Set(foldWords(text, 'NFKD'))].slice(0, MAX_WORDS).map((word) => word.slice(0, MAX_WORD_LENGTH));

/** The words of a search. One with a digit has a second list of words, because it may be one number, however it is written: `A-123456`. */
export function queryWords(text: string): string[][] {
  const joined = text.replaceAll(/[\s-]/g, '');
  return /\d/.test(text) && joined !== text ? [searchWords(text), searchWords(joined)] : [searchWords(text)];
}

/** Whether a search may be a part of a control number or generation code. Short words of letters alone, such as names, are part of too many. */
export const isPartOfNumber = (text: string): boolean => /\d/.test(text) || text.length >= 6;

/** Words of name, trade name and numbers; those with an apostrophe both split and joined. None for an unnamed consumer. */
export function receiverWords(receiver: Receiver | null): string[] {
  if (!receiver) return [];
  const { name, tradeName, documentNumber, nrc } = receiver;
  const names = [name, tradeName ?? ''];
  return [...new Set([...names, ...names.map(withoutApostrophes), documentNumber?.replaceAll('-', '') ?? '', nrc ?? ''].flatMap(searchWords))];
}
