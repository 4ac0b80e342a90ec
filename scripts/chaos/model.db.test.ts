// Random histories of a clinic (testing/model.ts), each determined by its seed. MODEL_SEEDS=1-1000 selects other seeds than the default ones; so
// does `npm run chaos -- model --seeds 1-1000`.
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { history, live } from './testing/model.ts';
import { startWorld, type World } from './testing/world.ts';

const [first, last] = (process.env.MODEL_SEEDS ?? '1-10').split('-').map(Number) as [number, number | undefined];
const seeds = Array.from({ length: (last ?? first) - first + 1 }, (_, index) => first + index);
const SEED_MS = 20_000;
/** A history that takes longer has a step that never ends. */
const STEPS_MS = 600_000;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

test(
  `histories with the seeds ${seeds[0]} to ${seeds.at(-1)}`,
  async () => {
    const failures: string[] = [];
    for (const seed of seeds) {
      const result = await fc.check(
        fc.asyncProperty(history, (steps) => live(world, steps)),
        { seed, numRuns: 1, endOnFailure: true, timeout: STEPS_MS },
      );
      if (result.failed) failures.push(`seed ${seed}: ${result.errorInstance}`);
    }
    if (failures.length > 0) throw new Error(`${failures.length} of ${seeds.length} histories failed:\n${failures.join('\n')}`);
  },
  900_000 + seeds.length * SEED_MS,
);
