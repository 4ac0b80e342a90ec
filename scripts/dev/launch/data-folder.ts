// The data folder: created, checked to be writable with enough free space, and locked against a second start.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { PROJECT } from '../../schemas.ts';
import { StartFault } from '../start-fault.ts';

const MEGABYTE = 1024 * 1024;

/** DATA_DIR, by default `.data` in the project. */
export const dataFolder = (): string => path.resolve(PROJECT, process.env.DATA_DIR || '.data');

/** Creates the folder if necessary and returns its real path. Throws a StartFault with the reason when it cannot be used. */
export function prepareDataFolder(folder: string): string {
  try {
    // Other users may traverse the folder, because root runs PostgreSQL as another user. Files with secrets have stricter modes.
    makeFolder(folder);
    const trial = path.join(folder, `.trial-${process.pid}`);
    writeFileSync(trial, Buffer.alloc(MEGABYTE));
    rmSync(trial);
  } catch (error) {
    throw new StartFault(`The data folder ${folder} ${complaint((error as NodeJS.ErrnoException).code)}: set DATA_DIR to another one`);
  }
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / MEGABYTE);
  const needed = existsSync(path.join(folder, 'postgres')) ? 64 : 256;
  if (free < needed)
    throw new StartFault(`The disk of the data folder ${folder} is full (${free} MB free, ${needed} needed): free some space or set DATA_DIR to another one`);
  return realpathSync(folder);
}

/** Used instead of mkdir's option `recursive`, which never returns when a parent fails with ENOENT, as /proc does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (!existsSync(path.dirname(folder))) makeFolder(path.dirname(folder));
  mkdirSync(folder, { mode: 0o711 });
}

function complaint(code: string | undefined): string {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'is on a full disk';
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return 'cannot be written to';
    case 'EEXIST':
    case 'ENOTDIR':
      return 'is not a folder';
    default:
      return `cannot be used (${code})`;
  }
}

/** Locks the folder with a socket, which the operating system closes when the process ends, even by kill -9. */
export async function lockDataFolder(folder: string): Promise<void> {
  const name = `clinic-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  if (process.platform === 'linux') return listen(`\0${name}`, folder);
  const file = path.join(os.tmpdir(), `${name}.sock`);
  if (!(await answers(file))) rmSync(file, { force: true });
  return listen(file, folder);
}

async function listen(address: string, folder: string): Promise<void> {
  const server = net.createServer((socket) => socket.destroy()).listen(address);
  await once(server, 'listening').catch(() => {
    throw new StartFault(`The data folder ${folder} is in use by another start: end that one first, or set another DATA_DIR`);
  });
  server.unref();
}

function answers(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(file, () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.unref();
  });
}
