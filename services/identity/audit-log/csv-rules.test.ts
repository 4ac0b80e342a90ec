import { expect, test } from '@jest/globals';
import { toCsv } from './csv-rules.ts';

test('cells are quoted where they must be, and compute nothing', () => {
  expect(
    toCsv(
      [
        ['1,2', 'say "x"'],
        ['=HYPERLINK("http://x")', '-1'],
        ['two\nlines', '@sum'],
      ],
      ['a', 'b'],
    ),
  ).toBe('﻿a,b\r\n"1,2","say ""x"""\r\n"\'=HYPERLINK(""http://x"")",\'-1\r\n"two\nlines",\'@sum\r\n');
  expect(toCsv([['c', 'd']])).toBe('c,d\r\n');
});
