// demo.json in the data folder: the sign-in of the demo clinic, and the progress of creating it.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { replaceFile } from '../../replace-file.ts';

export type Demo = { email: string; password: string };
/** `done`: seeding is complete. `history`: absent in a folder of an earlier release. */
export type StoredDemo = Demo & { done: boolean; history?: HistoryProgress };
/** `today` is the day on which the clinic was created; `done` has the parts that are complete, and `begun` the time at which each was begun. */
export type HistoryProgress = { today: string; done: string[]; begun: Record<string, string> };

/** The demo clinic that a start created or was creating. */
export function storedDemo(dataDir: string): StoredDemo | undefined {
  const file = path.join(dataDir, 'demo.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as StoredDemo) : undefined;
}

export function writeDemo(dataDir: string, stored: StoredDemo): void {
  replaceFile(path.join(dataDir, 'demo.json'), `${JSON.stringify(stored, null, 2)}\n`);
}

/** Marks the demo clinic as created, so that a start creates none. */
export const withoutDemo = (dataDir: string): void => writeDemo(dataDir, { email: '', password: '', done: true });

export function recordHistory(dataDir: string, change: (known: HistoryProgress) => Partial<HistoryProgress>): void {
  const stored = storedDemo(dataDir);
  if (stored?.history) writeDemo(dataDir, { ...stored, history: { ...stored.history, ...change(stored.history) } });
}
