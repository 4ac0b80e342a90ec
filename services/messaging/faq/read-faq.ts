// Checks what a FAQ entry holds, on creation and on change.

import { invalid } from '@clinic/lib/errors/errors.ts';
import { checkOneOf, checkText } from '@clinic/lib/formats/check.ts';
import { CATEGORIES, normaliseKeywords } from './faq-rules.ts';
import type { FaqFields } from './faqs.sql.ts';

export function readFaq(faq: { category: string; question: string; answer: string; keywords: string[]; isActive: boolean }): FaqFields {
  if (faq.keywords.length > 30) invalid('keywords', 'must have at most 30 items');
  return {
    category: checkOneOf('category', faq.category, CATEGORIES),
    question: checkText('question', faq.question, 300),
    answer: checkText('answer', faq.answer, 1000),
    keywords: normaliseKeywords(faq.keywords.map((keyword, index) => checkText(`keywords.${index}`, keyword, 60))),
    is_active: faq.isActive,
  };
}
