// Names that are stored, published or sent do not change, and docs/persisted-names.md lists all of them.
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { currentNames } from './persisted/current.ts';
import { collect, type Names, vanished } from './persisted/names.ts';
import { natsUsers } from './persisted/nats-users.ts';
import { readPage, writePage } from './persisted/page.ts';

let page: string;
let current: Names;
beforeAll(async () => {
  page = readFileSync(new URL('../../docs/persisted-names.md', import.meta.url), 'utf8');
  current = await currentNames();
});

test('no recorded name has vanished', () => {
  expect(vanished(readPage(page), current)).toEqual([]);
});

test('docs/persisted-names.md lists all names (node scripts/run.js checks/persisted-names writes it)', () => {
  expect(writePage(current)).toBe(page);
});

test('deploy/nats/users.conf grants each service the rights that its consumers need (node scripts/run.js checks/persisted-names writes it)', () => {
  expect(natsUsers(current['Durable consumers'] ?? {})).toBe(readFileSync(new URL('../../deploy/nats/users.conf', import.meta.url), 'utf8'));
});

test('each section has names', () => {
  expect(Object.keys(current).length).toBeGreaterThan(20);
  expect(Object.keys(current).filter((section) => Object.keys(current[section] ?? {}).length === 0)).toEqual([]);
});

test('a name that vanishes or changes is reported with its section and owner', () => {
  const before: Names = { Tables: collect([['a.one', 'id', 'name'] as const, ['a.two', 'id'] as const]), Codes: collect([['GONE'] as const]) };
  const after: Names = { Tables: collect([['a.one', 'id', 'full_name'] as const, ['a.three', 'name'] as const]), Codes: {} };
  expect(vanished(before, after)).toEqual(['Tables: a.one: name', 'Tables: a.two', 'Tables: a.two: id', 'Codes: GONE']);
  expect(vanished(before, { ...before, More: collect([['new'] as const]) })).toEqual([]);
});

test('reading the page returns the names that were written', () => {
  const names: Names = { Tables: collect([['a.one', 'id', 'name'] as const]), 'Button ids': collect([['day|<id>'] as const]) };
  expect(readPage(writePage(names))).toEqual(names);
});
