// The log file of an embedded server. When it grows large, it is copied to a second file and truncated.
import { copyFileSync, openSync, statSync, truncateSync } from 'node:fs';

const MAX_BYTES = 10 * 1024 * 1024;
const EVERY_MS = 60_000;

/** Opens the file for appending, so that a server that writes to it continues at the beginning after the file was truncated. */
export function openLogFile(file: string): number {
  const opened = openSync(file, 'a', 0o600);
  rotate(file);
  setInterval(() => rotate(file), EVERY_MS).unref();
  return opened;
}

function rotate(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= MAX_BYTES) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
}
