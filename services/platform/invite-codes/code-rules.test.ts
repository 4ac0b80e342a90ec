// Invite codes can be read out and typed in.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codeFrom, parseCode } from './code-rules.ts';

const bytes = fc.uint8Array({ minLength: 12, maxLength: 12 });

test('every code is parsed, in all accepted spellings', () => {
  fc.assert(
    fc.property(bytes, (random) => {
      const code = codeFrom(random);
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/);
      for (const typed of [code, code.toLowerCase(), code.replaceAll('-', ''), code.replaceAll('0', 'o').replaceAll('1', 'I')])
        expect(parseCode(typed)).toBe(code);
    }),
  );
});

test('all letters are equally likely', () => {
  const counts = new Map<string, number>();
  for (let byte = 0; byte < 256; byte += 1) {
    const [letter = ''] = codeFrom(new Uint8Array(12).fill(byte));
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  expect([...counts.values()]).toEqual(Array(32).fill(8));
});

test.each(['', 'AAAA-AAAA', 'AAAA-AAAA-AAAAA', 'UUUU-UUUU-UUUU', 'ÁÁÁÁ-ÁÁÁÁ-ÁÁÁÁ', 'AAAA-AAAA-AAA\0'])('%j is not a code', (typed) => {
  expect(parseCode(typed)).toBeUndefined();
});
