// Random numbers determined by a seed, so that a run can be repeated.
import { createHash } from 'node:crypto';

export type Random = {
  /** An integer from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
};

export const seededBy = (text: string) => seeded(createHash('sha256').update(text).digest().readInt32LE());

/** Mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, chance: (probability) => next() < probability, pick: (list) => list[below(list.length)] as (typeof list)[number] };
}
