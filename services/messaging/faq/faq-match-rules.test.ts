import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bestFaq, type Faq } from './faq-match-rules.ts';

const faq = (id: string, keywords: string[], day = 1): Faq => ({ id, question: '', answer: '', keywords, created_at: new Date(2026, 0, day) });

describe('the best answer', () => {
  const pick = (said: string, ...faqs: Faq[]) => bestFaq(faqs, said)?.id;
  test('most keywords, then the longest, then the newest', () => {
    expect(pick('precio de limpieza', faq('a', ['precio']), faq('b', ['precio', 'limpieza']))).toBe('b');
    expect(pick('precio de limpieza', faq('a', ['precio'], 9), faq('b', ['limpieza']))).toBe('b');
    expect(pick('precio', faq('a', ['precio'], 1), faq('b', ['precio'], 2))).toBe('b');
  });
  test('whole words before beginnings of words before parts of words', () => {
    const faqs = [faq('part', ['osto', 'uánt', 'blanq'], 9), faq('beginning', ['cost', 'cu'], 8), faq('words', ['cuánto'], 1)];
    expect(pick('¿cuánto costó?', ...faqs)).toBe('words');
    expect(pick('¿cuántos costos?', ...faqs)).toBe('beginning');
    expect(pick('autoblanqueamiento', ...faqs)).toBe('part');
    expect(pick('ortodoncia', ...faqs)).toBeUndefined();
  });
  test('plurals, case, accents, and keywords of several words or of none', () => {
    expect(pick('¿Aceptan tarjetas?', faq('a', ['tarjeta']))).toBe('a');
    expect(pick('¿ATENCIÓN?', faq('a', ['atencion']))).toBe('a');
    expect(pick('¿De cuántos $ estamos hablando?', faq('a', ['$']))).toBe('a');
    expect(pick('hablando', faq('a', ['$']))).toBeUndefined();
    expect(pick('¿Cuál es la forma de  pago?', faq('a', ['forma de pago']))).toBe('a');
    expect(pick('pago de forma', faq('a', ['forma de pago']))).toBeUndefined();
  });
  test('does not depend on the order of the entries', () => {
    const words = fc.subarray(['precio', 'limpieza', 'horario', 'parqueo']);
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), words, (entries, said) => {
        const faqs = entries.map((keywords, index) => faq(String(index), keywords, index + 1));
        expect(bestFaq(faqs.toReversed(), said.join(' '))?.id).toBe(bestFaq(faqs, said.join(' '))?.id);
      }),
    );
  });
});
