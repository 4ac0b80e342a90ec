// The words by which a document is found: what is left of a name when case, marks and punctuation are gone.
import type { Receiver } from './receiver.ts';

const MOST_WORDS = 12;
const LONGEST = 60;

export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return [...new Set(plain.split(/[^\p{L}\p{N}]+/u).filter(Boolean))].slice(0, MOST_WORDS).map((word) => word.slice(0, LONGEST));
}

/** What someone looks for: a number however it is written, or words. */
export const wordsSought = (text: string): string[] => wordsOf(/^[\d\s-]+$/.test(text) ? text.replaceAll(/[\s-]/g, '') : text);

/** Name, trade name and numbers; none for a consumer who is not named. */
export function receiverWords(receiver: Receiver | null): string[] {
  if (!receiver) return [];
  const { name, tradeName, documentNumber, nrc } = receiver;
  return [...new Set([name, tradeName ?? '', documentNumber?.replaceAll('-', '') ?? '', nrc ?? ''].flatMap(wordsOf))];
}
