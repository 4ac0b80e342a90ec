// PostgreSQL refuses to run as root, so root runs it as another user, who needs access to its files.
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

export type User = { uid: number; gid: number };

/** Folder for files that the other user cannot access in their own place, for example below /root. */
const REACHABLE = '/var/lib/clinic-management';

const NOBODY: User = { uid: 65534, gid: 65534 };

/**
 * The user that runs PostgreSQL on this folder: the owner of an existing folder, or else `postgres`, or else `nobody`. Undefined unless this
 * process runs as root.
 */
export function userFor(folder: string): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(folder)) {
    const { uid, gid } = statSync(folder);
    if (uid !== 0) return { uid, gid };
  }
  const entry = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return entry ? { uid: Number(entry[1]), gid: Number(entry[2]) } : NOBODY;
}

/** Creates the folder, owned by `user`, and returns its real path. When `user` cannot access it there, it is a link to a folder elsewhere. */
export function ownFolder(folder: string, user: User | undefined): string {
  if (!lstatSync(folder, { throwIfNoEntry: false })) {
    if (!user || reachable(path.dirname(folder), user)) mkdirSync(folder, { mode: 0o700 });
    else linkElsewhere(folder);
  }
  const real = realpathSync(folder);
  if (user) chownSync(real, user.uid, user.gid);
  return real;
}

const LINKED_BY = '.linked-by';
/** Of the names of temporary data folders. */
export const TEMP_PREFIX = 'clinic-temp-';

/** Creates the folder where it is accessible and links to it. Deletes such folders of temporary data folders whose links no longer exist. */
export function linkElsewhere(folder: string, root = reachableRoot()): void {
  for (const note of readdirSync(root).filter((name) => name.endsWith(LINKED_BY))) {
    const [elsewhere, link] = [path.join(root, note.slice(0, -LINKED_BY.length)), readFileSync(path.join(root, note), 'utf8')];
    // Another data folder may have been renamed or moved, or its disk may not be mounted.
    if (!link.includes(`/${TEMP_PREFIX}`) || linkTarget(link) === elsewhere) continue;
    rmSync(elsewhere, { recursive: true, force: true });
    rmSync(path.join(root, note), { force: true });
  }
  const elsewhere = mkdtempSync(path.join(root, `${path.basename(folder)}-`));
  symlinkSync(elsewhere, folder);
  writeFileSync(elsewhere + LINKED_BY, folder);
}

function linkTarget(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

/** The folder itself, or a copy of it that `user` can read. */
export function readableFolder(folder: string, name: string, user: User | undefined): string {
  const real = realpathSync(folder);
  if (!user || reachable(real, user)) return real;
  const copy = path.join(reachableRoot(), name);
  if (!existsSync(copy)) {
    const partial = mkdtempSync(`${copy}-`);
    cpSync(real, partial, { recursive: true, verbatimSymlinks: true });
    chmodSync(partial, 0o755);
    renameSync(partial, copy);
  }
  return copy;
}

function reachableRoot(): string {
  mkdirSync(REACHABLE, { recursive: true, mode: 0o755 });
  return REACHABLE;
}

/** Whether the user can traverse every folder down to this one. Group permissions are ignored, so the result may be false for an accessible folder. */
function reachable(folder: string, { uid }: User): boolean {
  for (let at = realpathSync(folder); ; at = path.dirname(at)) {
    const { mode, uid: owner } = statSync(at);
    if (!(mode & (owner === uid ? 0o100 : 0o001))) return false;
    if (at === path.dirname(at)) return true;
  }
}
