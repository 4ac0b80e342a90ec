// A temporary data folder that PostgreSQL's own user may pass through.
import { chmodSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export function tempFolder(name: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), `clinic-${name}-`));
  chmodSync(folder, 0o711);
  return folder;
}
