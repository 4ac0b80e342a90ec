import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseDay, withoutClockTimes } from './day-text.ts';
import { containsPhrase, detectLanguage, foldPhrase } from './phrases.ts';

test('a phrase is found in a text only as whole words', () => {
  expect(containsPhrase(foldPhrase('quiero una CITA, por favor'), 'cita')).toBe(true);
  expect(containsPhrase(foldPhrase('felicitaciones'), 'cita')).toBe(false);
  fc.assert(fc.property(fc.string(), (text) => foldPhrase(foldPhrase(text)) === foldPhrase(text)));
});

test.each([
  ['I would like an appointment', 'en'],
  ['quiero una cita', 'es'],
  ['no', undefined],
  ['8:30', undefined],
])('%s is in %s', (text, language) => expect(detectLanguage(foldPhrase(text))).toBe(language));

describe('the day that a message names', () => {
  test.each([
    ['hoy', '2026-06-01'],
    ['para mañana', '2026-06-02'],
    ['pasado mañana', '2026-06-03'],
    ['el lunes', '2026-06-01'],
    ['el viernes por la mañana', '2026-06-05'],
    ['mañana en la mañana', '2026-06-02'],
    ['a las 9 de la mañana', undefined],
    ['domingo', '2026-06-07'],
    ['15 de junio', '2026-06-15'],
    ['15/6', '2026-06-15'],
    ['5 de enero', '2027-01-05'],
    ['2026-07-01', '2026-07-01'],
    ['31/02', undefined],
    ['cuando sea', undefined],
  ])('%s is %s', (text, date) => expect(parseDay(foldPhrase(text), '2026-06-01', 'es')).toBe(date));
  test.each(['a las 9:10', 'a las 9.10', 'a las 9-10'])('%s is a time', (text) =>
    expect(parseDay(withoutClockTimes(text), '2026-06-01', 'es')).toBeUndefined(),
  );
  test('is read with the month first in English', () => expect(parseDay(foldPhrase('7/4'), '2026-06-01', 'en')).toBe('2026-07-04'));
});
