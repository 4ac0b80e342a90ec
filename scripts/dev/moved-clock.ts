// A clock that a test can set: libfaketime, preloaded into the product, its PostgreSQL and its simulators. Monotonic clocks are not affected, as
// when the clock of a machine is set.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceFile } from '../replace-file.ts';

const LIBRARIES = '/usr/lib';
export const library = readdirSync(LIBRARIES)
  .map((folder) => path.join(LIBRARIES, folder, 'faketime/libfaketimeMT.so.1'))
  .find((file) => existsSync(file));

/** Processes read the file again when more than one second has passed. */
const NOTICED_MS = 2_100;

export function movedClock(folder: string, start: string) {
  const file = path.join(folder, 'clock');
  let offset = 0;
  const write = (to: string) => {
    offset = Math.round((Date.parse(to) - Date.now()) / 1000);
    replaceFile(file, `${offset < 0 ? '' : '+'}${offset}\n`, 0o644);
  };
  write(start);
  return {
    /** The environment of the programs that follow this clock. */
    env: { LD_PRELOAD: library ?? '', FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
    now: () => new Date(Date.now() + offset * 1000),
    /** Sets the clock to an instant in ISO 8601, and waits until every process has read it. */
    async set(to: string) {
      write(to);
      await sleep(NOTICED_MS);
    },
  };
}
