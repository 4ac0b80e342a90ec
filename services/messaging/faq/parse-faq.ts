// Checks what a FAQ entry holds, on creation and on change.

import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { CATEGORIES, normaliseKeywords } from './faq-rules.ts';
import type { FaqFields } from './faqs.sql.ts';

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
