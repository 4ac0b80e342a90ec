// Random choices that are the same for the same seed.
import { createHash } from 'node:crypto';

export type Random = {
  /** An integer from 0 to `below` - 1. */
  int(below: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
};

/** Mulberry32. */
export function randomOf(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readInt32LE();
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return { int, chance: (share) => next() < share, pick: <T>(from: readonly T[]) => from[int(from.length)] as T };
}
