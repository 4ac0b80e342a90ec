// Measures the free space of the disk of a folder, and logs when little is left.
import { existsSync, statfsSync } from 'node:fs';
import { startLoop } from '../background/loop.ts';
import type { Stoppable } from '../background/stop.ts';
import type { Log } from '../telemetry/log.ts';
import { diskFree, diskSize } from '../telemetry/metrics.ts';

const EVERY_MS = 5_000;
const MEGABYTE = 1024 * 1024;
const LITTLE_MB = 256;
const LITTLE_SHARE = 0.05;

/** Measures the disk every EVERY_MS until stopped, while the folder exists. */
export function watchDisk(folder: string, log: Log): Stoppable {
  let little = false;
  return startLoop({ log, failure: 'the free space of the disk could not be read', everyMs: EVERY_MS }, async () => {
    if (!existsSync(folder)) return;
    const { bavail, blocks, bsize } = statfsSync(folder);
    diskFree.set({ folder }, bavail * bsize);
    diskSize.set({ folder }, blocks * bsize);
    const before = little;
    little = bavail * bsize < LITTLE_MB * MEGABYTE && bavail < blocks * LITTLE_SHARE;
    const fields = { folder, freeMegabytes: Math.floor((bavail * bsize) / MEGABYTE) };
    if (little && !before) log.error(fields, 'the disk is almost full: when it is full, requests that write get 503');
    if (!little && before) log.warn(fields, 'the disk has space again');
  });
}
