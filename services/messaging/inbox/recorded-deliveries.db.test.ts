// Recorded deliveries of all shapes, in their order and shuffled, half of them twice, end in the conversations that the implementation of before
// (commit ecb92b8: one transaction for each turn, messages sent one by one) made of them. Its outcome is in recorded/*.txt; where it was another
// one, the line that follows says so:
//   was (1)  The word `menu` switched to English. It belongs to both languages.
//   was (2)  A notice of the provider opened the 24-hour window, which only a message of the patient does.
//   was (3)  A message that was given up had a status of its own. The staff see it as failed.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { startReplays } from '../testing/replay-deliveries.ts';

const ORDERS = { 'in-order': { seed: 1, shuffled: false }, 'shuffled-1': { seed: 2, shuffled: true }, 'shuffled-2': { seed: 3, shuffled: true } };

let outcomes: Map<string, string>;
beforeAll(async () => {
  const replays = await startReplays();
  try {
    const texts = await replays.replay(Object.values(ORDERS));
    outcomes = new Map(Object.keys(ORDERS).map((name, index) => [name, texts[index] ?? '']));
  } finally {
    await replays.stop();
  }
});

test.each(Object.keys(ORDERS))('%s', (name) => {
  const recorded = readFileSync(path.join(import.meta.dirname, 'recorded', `${name}.txt`), 'utf8');
  expect(outcomes.get(name)).toBe(recorded.replaceAll(/^ {4}was \(\d\): .*\n/gm, ''));
});
