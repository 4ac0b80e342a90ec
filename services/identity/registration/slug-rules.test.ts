// Slugs of clinic names.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { slugCandidates, slugOf } from './slug-rules.ts';

test.each([
  ['Clínica Sonrisa & Cía.', 'clinica-sonrisa-cia'],
  ['  ¡Ñandú!  24/7 ', 'nandu-24-7'],
  ['牙科诊所', 'clinic'],
  [`${'x'.repeat(59)} y`, 'x'.repeat(59)],
])('%s is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test('every name has a slug that fits into a URL', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (name) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slugOf(name)) && slugOf(name).length <= 60));
});

test('the slug without a suffix is tried first, then numbers, then random suffixes', () => {
  expect([...slugCandidates('A', () => 'r')]).toEqual(['a', 'a-2', 'a-3', 'a-4', 'a-5', 'a-r', 'a-r', 'a-r', 'a-r', 'a-r']);
});
