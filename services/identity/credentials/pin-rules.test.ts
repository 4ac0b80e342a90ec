import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Attempts, countGuess, isPin } from './pin-rules.ts';

const MINUTE = 60_000;

test.each(['1234', '00000000'])('%s is a PIN', (pin) => expect(isPin(pin)).toBe(true));
test.each(['123', '123456789', '12a4', '١٢٣٤', '', '1234\n'])('%j is not a PIN', (pin) => expect(isPin(pin)).toBe(false));

test('any 15 minutes contain at most 5 guesses', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 * MINUTE }), { maxLength: 60 }), (pauses) => {
      let at = 0;
      let state: Attempts = { attempts: 0, lockedUntil: null };
      const guessed: number[] = [];
      for (const pause of pauses) {
        at += pause;
        const next = countGuess(state, new Date(at));
        if (!next) continue;
        guessed.push(at);
        state = next;
      }
      // The fifth guess locks the PIN, so at least 15 minutes pass between a guess and the fifth after it.
      guessed.forEach((first, index) => {
        const sixth = guessed[index + 5];
        if (sixth !== undefined) expect(sixth - first).toBeGreaterThanOrEqual(15 * MINUTE);
      });
    }),
  );
});
