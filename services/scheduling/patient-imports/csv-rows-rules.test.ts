// The CSV parser: any output of a CSV writer is parsed, in chunks of any size, and a malformed row loses only itself.
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { delimiterOf, parseRows } from './csv-rows-rules.ts';

async function rowsOf(chunks: Iterable<string>, delimiter = ',') {
  async function* pieces() {
    yield* chunks;
  }
  return Array.fromAsync(parseRows(pieces(), delimiter));
}

function read(text: string, delimiter = ',', size = text.length || 1) {
  return rowsOf(
    Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size)),
    delimiter,
  );
}

test('the output of a CSV writer is parsed, in chunks of any size', async () => {
  const cell = fc.oneof(fc.string({ maxLength: 12 }), fc.stringMatching(/^[",;\n\r\t a]{0,8}$/));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n', '\r') as fc.Arbitrary<'\n' | '\r\n' | '\r'>,
      fc.integer({ min: 1, max: 30 }),
      async (rows, delimiter, end, size) => {
        const text = stringify(rows, { delimiter, record_delimiter: end, quoted: true });
        expect(await read(text, delimiter, size)).toEqual(rows);
      },
    ),
  );
});

test('any text has the same rows, wherever its chunks begin', async () => {
  const chunk = fc.constantFrom('"', '""', ',', '\n', '\r', '\r\n', 'a', 'x'.repeat(20_000));
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 20 }), async (chunks) => {
      expect(await rowsOf(chunks)).toEqual(await rowsOf([chunks.join('')]));
    }),
  );
});

describe('a malformed row loses only itself', () => {
  test('a quote that is never closed', async () => {
    expect(await read('a,b\n1,"x\n2,y\n3,"z"\n')).toEqual([['a', 'b'], undefined, ['2', 'y'], ['3', 'z']]);
    expect(await read('a\n"x')).toEqual([['a'], undefined]);
    const many = Array.from({ length: 20_000 }, (_, index) => `${index},row`).join('\r\n');
    const rows = await read(`1,"x\r\n${many}`, ',', 4096);
    expect([rows.length, rows[0], rows.at(-1)]).toEqual([20_001, undefined, ['19999', 'row']]);
  });
  test('text after a closing quote', async () => {
    for (const size of [undefined, 3]) expect(await read('"a" b,c\nd,e', ',', size)).toEqual([undefined, ['d', 'e']]);
  });
  test('a row that is too long does not affect the following rows', async () => {
    for (const size of [undefined, 1000]) expect(await read(`${'x'.repeat(100_000)}\na,b`, ',', size)).toEqual([undefined, ['a', 'b']]);
  });
  test('a quote within an unquoted cell is text', async () => {
    expect(await read('5" pipe,b\n')).toEqual([['5" pipe', 'b']]);
  });
});

test('empty lines are rows, and the last line needs no line break', async () => {
  expect(await read('a\n\nb')).toEqual([['a'], [''], ['b']]);
  expect(await read('a,\n')).toEqual([['a', '']]);
  expect(await read('a,')).toEqual([['a', '']]);
  expect(await read('')).toEqual([]);
});

test('the delimiter is found in the header', () => {
  expect(['nombre,telefono', 'nombre;telefono;"a,b"', 'nombre\ttelefono', 'nombre'].map(delimiterOf)).toEqual([',', ';', '\t', ',']);
});
