// A lane for each key, for example for each clinic. A lane exists only while it is used.
import { createLane, type Lane, type LaneOptions } from '@clinic/lib/background/lane.ts';

/** Waits for a turn in the lane of `key`. Returns a function that must be called once, when the work has ended. */
type EnterLane = (key: string, options: LaneOptions) => Promise<() => void>;

export function createLanes(): EnterLane {
  const entries = new Map<string, { lane: Lane; concurrent: number; users: number }>();

  return async (key, options) => {
    let entry = entries.get(key);
    if (entry?.concurrent !== options.concurrent) {
      entry = { lane: createLane(options), concurrent: options.concurrent, users: 0 };
      entries.set(key, entry);
    }
    const { lane } = entry;
    const used = entry;
    const forget = () => {
      used.users--;
      if (used.users === 0 && entries.get(key) === used) entries.delete(key);
    };
    used.users++;
    try {
      const leave = await lane();
      return () => {
        leave();
        forget();
      };
    } catch (error) {
      forget();
      throw error;
    }
  };
}
