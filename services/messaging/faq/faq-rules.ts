// Categories and keywords of the questions that the bot answers.
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';

export const CATEGORIES = ['parking', 'prices', 'payment', 'hours', 'general'] as const;

/** Lower case, single blanks, and no keyword that says the same as one before it; accents are kept for the eye. */
export function normaliseKeywords(keywords: readonly string[]): string[] {
  const kept = new Map<string, string>();
  for (const keyword of keywords) {
    const text = keyword.trim().replaceAll(/\s+/g, ' ').toLowerCase().normalize('NFC');
    const meaning = foldPhrase(text);
    if (text !== '' && !kept.has(meaning)) kept.set(meaning, text);
  }
  return [...kept.values()];
}
