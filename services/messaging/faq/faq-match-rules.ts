// Which FAQ entry answers a message.
import { containsPhrase } from '@clinic/lib/formats/phrases.ts';

export type Faq = { id: string; question: string; answer: string; keywords: string[]; created_at: Date };

/** The entry with the most keywords in the message; among equals the one with the longest, then the newest. A keyword counts as whole words. */
export function bestFaq<F extends Faq>(faqs: readonly F[], said: string): F | undefined {
  const candidates = faqs.flatMap((faq) => {
    const hits = faq.keywords.filter((keyword) => containsPhrase(said, keyword));
    return hits.length === 0 ? [] : [{ faq, hits: hits.length, longest: Math.max(...hits.map((hit) => hit.length)) }];
  });
  candidates.sort(
    (a, b) => b.hits - a.hits || b.longest - a.longest || b.faq.created_at.getTime() - a.faq.created_at.getTime() || (a.faq.id < b.faq.id ? 1 : -1),
  );
  return candidates[0]?.faq;
}
