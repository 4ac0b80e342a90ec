// Writes files of which a killed process must not leave a part.
import { renameSync, writeFileSync } from 'node:fs';

/** Replaces the file in one step, by a rename. By default only this user can read it. */
export function replaceFile(file: string, text: string, mode = 0o600): void {
  writeFileSync(`${file}.new`, text, { mode, flush: true }); // on the disk before the rename
  renameSync(`${file}.new`, file);
}
