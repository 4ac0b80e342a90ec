// Validation of FAQ entries, on creation and on change.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import type { FaqFields } from './faqs.sql.ts';

const CATEGORIES = ['parking', 'prices', 'payment', 'hours', 'general'] as const;

export function parseFaq(faq: { category: string; question: string; answer: string; keywords: string[]; isActive: boolean }): FaqFields {
  if (faq.keywords.length > 30) invalid('keywords', 'must have at most 30 items');
  return {
    category: parseOneOf('category', faq.category, CATEGORIES),
    question: parseText('question', faq.question, 300),
    answer: parseText('answer', faq.answer, 1000),
    keywords: normaliseKeywords(faq.keywords.map((keyword, index) => parseText(`keywords.${index}`, keyword, 60))),
    is_active: faq.isActive,
  };
}

/** Lower case, single spaces, and without keywords that differ from an earlier one by accents or punctuation only. */
function normaliseKeywords(keywords: readonly string[]): string[] {
  const byMeaning = new Map<string, string>();
  for (const keyword of keywords) {
    const text = keyword.trim().replaceAll(/\s+/g, ' ').toLowerCase().normalize('NFC');
    const meaning = foldPhrase(text);
    if (text !== '' && !byMeaning.has(meaning)) byMeaning.set(meaning, text);
  }
  return [...byMeaning.values()];
}
