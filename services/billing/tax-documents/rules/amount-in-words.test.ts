// Totals in words, parsed back into numbers.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inWords, MAX_TOTAL } from './amount-in-words.ts';
import { Decimal, fromCents } from './amounts.ts';

// The value of each word, independent of the tables under test.
const WORTH: Record<string, number> = {
  CERO: 0,
  UN: 1,
  DOS: 2,
  TRES: 3,
  CUATRO: 4,
  CINCO: 5,
  SEIS: 6,
  SIETE: 7,
  OCHO: 8,
  NUEVE: 9,
  DIEZ: 10,
  ONCE: 11,
  DOCE: 12,
  TRECE: 13,
  CATORCE: 14,
  QUINCE: 15,
  DIECISÉIS: 16,
  DIECISIETE: 17,
  DIECIOCHO: 18,
  DIECINUEVE: 19,
  VEINTE: 20,
  VEINTIÚN: 21,
  VEINTIDÓS: 22,
  VEINTITRÉS: 23,
  VEINTICUATRO: 24,
  VEINTICINCO: 25,
  VEINTISÉIS: 26,
  VEINTISIETE: 27,
  VEINTIOCHO: 28,
  VEINTINUEVE: 29,
  TREINTA: 30,
  CUARENTA: 40,
  CINCUENTA: 50,
  SESENTA: 60,
  SETENTA: 70,
  OCHENTA: 80,
  NOVENTA: 90,
  CIEN: 100,
  CIENTO: 100,
  DOSCIENTOS: 200,
  TRESCIENTOS: 300,
  CUATROCIENTOS: 400,
  QUINIENTOS: 500,
  SEISCIENTOS: 600,
  SETECIENTOS: 700,
  OCHOCIENTOS: 800,
  NOVECIENTOS: 900,
};

function parseWords(text: string): number {
  const [, words = '', cents = ''] = /^(.+) (\d\d)\/100 DÓLARES$/.exec(text) ?? [];
  let [total, part] = [0, 0];
  for (const word of words.split(' ')) {
    if (word === 'Y') continue;
    if (word === 'MIL') part = (part || 1) * 1_000;
    else if (word === 'MILLÓN' || word === 'MILLONES') [total, part] = [part * 1_000_000, 0];
    else part += WORTH[word] ?? Number.NaN;
  }
  return (total + part) * 100 + Number(cents);
}

describe('totals in words', () => {
  test('parse back into their amounts', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: 0, max: 99_999_999_999 }), fc.integer({ min: 0, max: 2_000_000 })), (cents) => {
        const text = inWords(fromCents(BigInt(cents)));
        return parseWords(text) === cents && text.length >= 8 && text.length <= 200;
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['0.50', 'CERO 50/100 DÓLARES'],
    ['1', 'UN 00/100 DÓLARES'],
    ['16.4', 'DIECISÉIS 40/100 DÓLARES'],
    ['21', 'VEINTIÚN 00/100 DÓLARES'],
    ['100', 'CIEN 00/100 DÓLARES'],
    ['113', 'CIENTO TRECE 00/100 DÓLARES'],
    ['1095', 'MIL NOVENTA Y CINCO 00/100 DÓLARES'],
    ['31001.05', 'TREINTA Y UN MIL UN 05/100 DÓLARES'],
    ['1000000', 'UN MILLÓN 00/100 DÓLARES'],
    [MAX_TOTAL, 'NOVECIENTOS NOVENTA Y NUEVE MILLONES NOVECIENTOS NOVENTA Y NUEVE MIL NOVECIENTOS NOVENTA Y NUEVE 99/100 DÓLARES'],
  ])('%s', (amount, words) => {
    expect(inWords(new Decimal(amount))).toBe(words);
  });
});
