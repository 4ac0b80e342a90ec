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
  expect(new Set(Array.from({ length: 256 }, (_, byte) => codeFrom(new Uint8Array(12).fill(byte))))).toHaveProperty('size', 32);
});

test.each(['', 'AAAA-AAAA', 'AAAA-AAAA-AAAAA', 'UUUU-UUUU-UUUU', 'ÁÁÁÁ-ÁÁÁÁ-ÁÁÁÁ', 'AAAA-AAAA-AAA\0'])('%j is not a code', (typed) => {
  expect(parseCode(typed)).toBeUndefined();
});
