// Finds the FAQ entry that answers a message.
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';

export type Faq = { id: string; question: string; answer: string; keywords: string[]; created_at: Date };

/** Where a keyword matches: within a word, at the beginning of a word, or as whole words. Higher is better. */
const PLACE = { part: 1, beginning: 2, words: 3 };

/** Ignores case, accents and punctuation. A keyword without letters and digits matches literally. */
function placeOf(keyword: string, text: string, words: string): number {
  const folded = foldPhrase(keyword).trim();
  if (folded === '') return text.includes(keyword) ? PLACE.words : 0;
  if (words.includes(` ${folded} `)) return PLACE.words;
  if (words.includes(` ${folded}`)) return PLACE.beginning;
  return words.includes(folded) ? PLACE.part : 0;
}

/**
 * The entry whose keyword has the best place in the message. Ties are decided by the number of keywords with that place, then by the longest of
 * them, then by the newest entry. Places below `least` do not count.
 */
export function bestFaq<F extends Faq>(faqs: readonly F[], text: string, least: keyof typeof PLACE = 'part'): F | undefined {
  const words = foldPhrase(text);
  const candidates = faqs.flatMap((faq) => {
    const hits = faq.keywords.map((keyword) => ({ place: placeOf(keyword, text, words), length: keyword.length }));
    const place = Math.max(0, ...hits.map((hit) => hit.place));
    const best = hits.filter((hit) => hit.place === place);
    return place < PLACE[least] ? [] : [{ faq, place, count: best.length, longest: Math.max(...best.map(({ length }) => length)) }];
  });
  candidates.sort(
    (a, b) =>
      b.place - a.place ||
      b.count - a.count ||
      b.longest - a.longest ||
      b.faq.created_at.getTime() - a.faq.created_at.getTime() ||
      (a.faq.id < b.faq.id ? 1 : -1),
  );
  return candidates[0]?.faq;
}
