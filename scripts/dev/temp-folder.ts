// Temporary data folders that PostgreSQL's own user can traverse. Each contains the id of the process that created it, so that a
// later run can end and delete the leftovers of a killed one.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { endLeftover } from './embedded/leftover.ts';
import { StartFault } from './start-fault.ts';

const PREFIX = 'clinic-temp-';
const OWNER = 'made-by.pid';

export function tempFolder(name: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), `${PREFIX}${name}-`));
  chmodSync(folder, 0o711);
  writeFileSync(path.join(folder, OWNER), String(process.pid));
  return folder;
}

/** Ends PostgreSQL and NATS of folders whose creator no longer runs, and deletes the folders, except those of other users. */
export async function sweepTempFolders(): Promise<void> {
  for (const name of readdirSync(os.tmpdir()).filter((name) => name.startsWith(PREFIX))) {
    const folder = path.join(os.tmpdir(), name);
    const owner = path.join(folder, OWNER);
    if (!existsSync(owner) || isRunning(Number(readFileSync(owner, 'utf8')))) continue;
    try {
      await endLeftover(path.join(folder, 'postgres/cluster/postmaster.pid'), folder, ['SIGQUIT', 'SIGKILL']);
      await endLeftover(path.join(folder, 'nats/nats.pid'), folder, ['SIGKILL']);
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (!(error instanceof StartFault) && (error as NodeJS.ErrnoException).code !== 'EACCES' && (error as NodeJS.ErrnoException).code !== 'EPERM')
        throw error;
    }
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
