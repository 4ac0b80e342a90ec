import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countGuess, type Guesses, NO_GUESSES } from './guess-rules.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('the locks last 1, 5, 15 and then 60 minutes, each after five guesses', () => {
  let now = new Date(0);
  let state = NO_GUESSES;
  const waits: number[] = [];
  while (waits.length < 6) {
    const next = countGuess(state, 5, now);
    if ('waitSeconds' in next) {
      waits.push(next.waitSeconds / 60);
      now = new Date(now.getTime() + next.waitSeconds * 1000);
    } else state = next;
  }
  expect(waits).toEqual([1, 5, 15, 60, 60, 60]);
});

test('a lock does not last longer when the clock is set back', () => {
  const locked = { attempts: 0, locks: 1, lockedUntil: new Date(HOUR + MINUTE) };
  expect(countGuess(locked, 5, new Date(HOUR))).toEqual({ waitSeconds: 60 });
  expect(countGuess(locked, 5, new Date(HOUR - MINUTE - 1))).toEqual({ attempts: 1, locks: 1, lockedUntil: null });
});

test('a day has at most 140 guesses, whatever the pauses between them', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 * MINUTE }), { maxLength: 400 }), (pauses) => {
      let at = 0;
      let state: Guesses = NO_GUESSES;
      let guessed = 0;
      for (const pause of pauses) {
        at += pause;
        if (at > 24 * 60 * MINUTE) break;
        const next = countGuess(state, 5, new Date(at));
        if ('waitSeconds' in next) continue;
        guessed += 1;
        state = next;
      }
      expect(guessed).toBeLessThanOrEqual(140);
    }),
  );
});
