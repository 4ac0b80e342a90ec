import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createOperatorLookup, parseOperatorKeys } from './operator-keys.ts';

const log = createLog('test', 'silent');
const [ANA, EVA, IDA] = ['a', 'e', 'i'].map((letter) => letter.repeat(20)) as [string, string, string];

let folder: string;
let file: string;
let now = 1_000_000;
let clock: ReturnType<typeof jest.spyOn>;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-keys-'));
  file = path.join(folder, 'keys');
  clock = jest.spyOn(performance, 'now').mockImplementation(() => now) as never;
});
afterEach(() => {
  clock.mockRestore();
  rmSync(folder, { recursive: true });
});

test('keys are name:key pairs, separated by newlines or commas', () => {
  expect(parseOperatorKeys(`# ours\nana:${ANA}, eva:${EVA}\n\n`)).toEqual([
    { name: 'ana', key: ANA },
    { name: 'eva', key: EVA },
  ]);
  expect(parseOperatorKeys('')).toEqual([]);
  for (const bad of ['ana', 'ana:short', `a b:${ANA}`, `:${ANA}`]) expect(parseOperatorKeys(bad)).toBeUndefined();
});

test('a changed file is loaded at the next check; a malformed or deleted file is ignored', () => {
  writeFileSync(file, `eva:${EVA}`);
  const findOperator = createOperatorLookup([{ name: 'ana', key: ANA }], file, log);
  const later = () => {
    now += 1_001;
  };
  expect([findOperator(ANA), findOperator(EVA)]).toEqual(['ana', 'eva']);
  writeFileSync(file, `eva:${EVA}\nida:${IDA}`);
  expect(() => findOperator(IDA)).toThrow();
  later();
  expect([findOperator(EVA), findOperator(IDA)]).toEqual(['eva', 'ida']);
  writeFileSync(file, 'a slip of the pen');
  later();
  expect(findOperator(IDA)).toBe('ida');
  rmSync(file);
  later();
  expect(findOperator(IDA)).toBe('ida');
  writeFileSync(file, `ida:${IDA}`);
  later();
  expect(() => findOperator(EVA)).toThrow('X-Admin-Key');
  expect([findOperator(ANA), findOperator(IDA)]).toEqual(['ana', 'ida']);
});

test.each([undefined, '', 'x', [ANA]])('%j is not a key', (header) => {
  expect(() => createOperatorLookup([{ name: 'ana', key: ANA }], undefined, log)(header)).toThrow('X-Admin-Key');
});
