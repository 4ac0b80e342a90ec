// What the standard fonts can print.
import { expect, test } from '@jest/globals';
import { printable } from './printable.ts';

test.each([
  ['María José Núñez ¿€?', 'María José Núñez ¿€?'],
  ['Łukasz Đorđe Şahin', 'Lukasz Dorde Sahin'],
  ['dos\n líneas\ty más', 'dos líneas y más'],
  ['sonrisa 😀!', 'sonrisa !'],
  ['日本', '??'],
  ['e\u0301', 'é'],
])('%s is printed as %s', (text, printed) => {
  expect(printable(text)).toBe(printed);
});
