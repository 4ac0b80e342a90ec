// Which FAQ entry answers a message.
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';

export type Faq = { id: string; question: string; answer: string; keywords: string[]; created_at: Date };

/** Where a keyword is found: within a word, at the beginning of one, or as whole words. The higher the better. */
const PLACE = { part: 1, beginning: 2, words: 3 };

/** Without regard to case, accents and punctuation; a keyword that has neither letters nor digits is found as it is written. */
function placeOf(keyword: string, text: string, words: string): number {
  const folded = foldPhrase(keyword).trim();
  if (folded === '') return text.includes(keyword) ? PLACE.words : 0;
  if (words.includes(` ${folded} `)) return PLACE.words;
  if (words.includes(` ${folded}`)) return PLACE.beginning;
  return words.includes(folded) ? PLACE.part : 0;
}

/**
 * The entry with the best place of a keyword in the message; among equals the one with the most keywords in such a place, then the longest,
 * then the newest. Places below `least` do not count.
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
