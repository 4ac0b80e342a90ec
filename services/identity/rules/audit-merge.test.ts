import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mergeNewest } from './audit-merge.ts';

const entry = fc.record({ id: fc.uuid(), at: fc.integer({ min: 0, max: 5 }).map((n) => new Date(n)) });
const logs = fc.array(fc.uniqueArray(entry, { selector: ({ id }) => id, maxLength: 20 }), { minLength: 1, maxLength: 6 });
const newestFirst = (list: { id: string; at: Date }[]) => mergeNewest([list], 0, list.length);

test('the pages put together are the whole log in order, though each service tells no more than the page needs', () => {
  fc.assert(
    fc.property(logs, fc.integer({ min: 1, max: 7 }), (lists, limit) => {
      const whole = mergeNewest(lists, 0, Number.POSITIVE_INFINITY);
      const pages: unknown[] = [];
      for (let offset = 0; offset < whole.length; offset += limit) {
        const told = lists.map((list) => newestFirst(list).slice(0, offset + limit));
        pages.push(...mergeNewest(told, offset, limit));
      }
      expect(pages).toEqual(whole);
    }),
  );
});

test('the newest comes first, and of one instant the higher id', () => {
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
  expect(mergeNewest(lists, 0, 4).map(({ id }) => id)).toEqual(['c', 'd', 'b', 'a']);
});
