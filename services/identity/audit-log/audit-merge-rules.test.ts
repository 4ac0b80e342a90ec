import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fromCursor, toCursor } from './audit-cursor-rules.ts';
import { mergeNewest } from './audit-merge-rules.ts';

const entry = fc.record({ id: fc.uuid(), at: fc.integer({ min: 0, max: 5 }).map((n) => new Date(n)) });
// Within a millisecond a service may order its entries differently from their ids, because its clock is finer.
const log = fc.uniqueArray(entry, { selector: ({ id }) => id, maxLength: 20 }).map((list) => list.toSorted((a, b) => b.at.getTime() - a.at.getTime()));
const logs = fc.array(log, { minLength: 1, maxLength: 6 });

test('pages by number contain the whole log in order, although each service returns only the entries up to the page', () => {
  fc.assert(
    fc.property(logs, fc.integer({ min: 1, max: 7 }), (lists, limit) => {
      const whole = mergeNewest(lists, 0, Number.POSITIVE_INFINITY).page;
      expect(whole.map(({ at }) => at.getTime())).toEqual(whole.map(({ at }) => at.getTime()).toSorted((a, b) => b - a));
      const pages: unknown[] = [];
      for (let offset = 0; offset < whole.length; offset += limit) {
        const returned = lists.map((list) => list.slice(0, offset + limit));
        pages.push(...mergeNewest(returned, offset, limit).page);
      }
      expect(pages).toEqual(whole);
    }),
  );
});

test('pages by cursor contain the whole log in order', () => {
  fc.assert(
    fc.property(logs, fc.integer({ min: 1, max: 7 }), (lists, limit) => {
      const whole = mergeNewest(lists, 0, Number.POSITIVE_INFINITY).page;
      const walked: unknown[] = [];
      let left = lists;
      while (walked.length < whole.length) {
        const { page, taken } = mergeNewest(
          left.map((list) => list.slice(0, limit)),
          0,
          limit,
        );
        walked.push(...page);
        left = left.map((list, index) => list.slice(taken[index]));
      }
      expect(walked).toEqual(whole);
    }),
  );
});

test('the newest entry is first; of entries with the same time, the one with the higher id', () => {
  const at = (ms: number) => new Date(ms);
  const lists = [
    [
      { id: 'b', at: at(2) },
      { id: 'a', at: at(1) },
    ],
    [
      { id: 'c', at: at(3) },
      { id: 'd', at: at(2) },
    ],
  ];
  expect(mergeNewest(lists, 0, 4).page.map(({ id }) => id)).toEqual(['c', 'd', 'b', 'a']);
});

test('a cursor is decoded to the value that was encoded; other text is rejected', () => {
  const position = fc.record({
    total: fc.nat(),
    shown: fc.nat(),
    after: fc.dictionary(fc.constantFrom('identity', 'dental'), fc.uuid(), { noNullPrototype: true }),
    at: fc.nat(),
  });
  fc.assert(fc.property(position, (given) => expect(fromCursor(toCursor(given))).toEqual(given)));
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json().map((json) => Buffer.from(json).toString('base64url')),
      ),
      (text) => expect(fromCursor(text)).toBeUndefined(),
    ),
  );
  const odd = ['null', '{"total":1,"shown":1,"after":{"identity":"x"}}', '{"total":-1,"shown":1,"after":{}}', '{"total":1,"shown":1}'];
  for (const text of [...odd, '{"total":1e300,"shown":1,"after":{}}', '{"total":2147483648,"shown":1,"after":{}}', '{"total":1,"shown":1,"after":{},"at":-1}'])
    expect(fromCursor(Buffer.from(text).toString('base64url'))).toBeUndefined();
});
