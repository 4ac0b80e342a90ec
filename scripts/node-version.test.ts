// The sentence for a Node that is too old.
import { expect, test } from '@jest/globals';
import { nodeFault } from './node-version.js';

test('a Node that is too old is refused in one sentence that says what to do', () => {
  expect(nodeFault('20.19.0')).toMatch(/^This needs Node 24 or newer, and this is Node 20\.19\.0: run `npm ci`[^\n]*\.$/);
  expect(nodeFault('23.6.0')).toBeDefined();
});

test('Node 24 and newer will do', () => {
  expect(nodeFault('24.0.0')).toBeUndefined();
  expect(nodeFault('26.1.0')).toBeUndefined();
});
