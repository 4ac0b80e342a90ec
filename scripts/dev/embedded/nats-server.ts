// Finds a nats-server program (docs/decisions/nats-acquisition.md): in PATH, in the cache, in Debian's package or in the official release.
// Downloads are stored in the cache.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROJECT } from '../../schemas.ts';
import { StartFault } from '../start-fault.ts';

/** The release, and the SHA-256 of its archives as in the official container image of that release. */
const RELEASE = '2.10.29';
const RELEASES: Record<string, string> = {
  'linux-amd64': 'e314da74a83a1d3876db8814c27eb990fe729640fd6452025b441bcede8390da',
  'linux-arm64': 'da4b27942ecfb4c5f0c54553d2e7f470ddda9d7581cfe8131b351a0e223ed401',
};

/** The path of a nats-server program. Throws a StartFault with instructions when none can be found or downloaded. */
export async function findNatsServer(dataDir: string, print: (line: string) => void): Promise<string> {
  const installed = onPath('nats-server');
  if (installed) return installed;
  const cache = cacheFolder(dataDir);
  const cached = path.join(cache, 'nats-server');
  if (existsSync(cached)) return cached;

  const scratch = mkdtempSync(path.join(cache, 'fetch-'));
  try {
    print('downloading nats-server');
    const downloaded = (await fromDebian(scratch)) ?? (await fromRelease(scratch));
    if (!downloaded) throw new StartFault(`nats-server was not found and could not be downloaded. ${advice()}`);
    chmodSync(downloaded, 0o755);
    renameSync(downloaded, cached); // atomic: a concurrent start never finds an incomplete file
    return cached;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function onPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return [...folders, '/usr/sbin'].map((folder) => path.join(folder, program)).find((file) => can(file, constants.X_OK));
}

/** `.cache` in the project, which all data folders share, or a folder in the data folder when the project is not writable. */
function cacheFolder(dataDir: string): string {
  const shared = path.join(PROJECT, '.cache');
  if (existsSync(path.join(shared, 'nats-server'))) return shared;
  const folder = can(PROJECT, constants.W_OK) && (!existsSync(shared) || can(shared, constants.W_OK)) ? shared : path.join(dataDir, 'cache');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  return folder;
}

function can(file: string, what: number): boolean {
  try {
    accessSync(file, what);
    return true;
  } catch {
    return false;
  }
}

/** Downloads and unpacks Debian's package without installing it, which does not require root. apt verifies its signature. */
async function fromDebian(scratch: string): Promise<string | undefined> {
  if (!onPath('apt-get') || !onPath('dpkg-deb')) return undefined;
  try {
    if (process.getuid?.() === 0) await run('apt-get', ['-q', 'update'], scratch).catch(() => {}); // the old package lists may still be sufficient
    await run('apt-get', ['-q', 'download', 'nats-server'], scratch);
    const archive = readdirSync(scratch).find((file) => file.endsWith('.deb'));
    if (!archive) return undefined;
    await run('dpkg-deb', ['-x', archive, 'unpacked'], scratch);
    return path.join(scratch, 'unpacked/usr/sbin/nats-server');
  } catch {
    return undefined;
  }
}

async function fromRelease(scratch: string): Promise<string | undefined> {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const expected = RELEASES[platform];
  if (!expected) return undefined;
  const name = `nats-server-v${RELEASE}-${platform}`;
  const bytes = await download(`https://github.com/nats-io/nats-server/releases/download/v${RELEASE}/${name}.tar.gz`);
  if (!bytes) return undefined;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== expected) throw new StartFault(`The downloaded nats-server has the unexpected SHA-256 ${sha256}. ${advice()}`);
  writeFileSync(path.join(scratch, 'release.tar.gz'), bytes);
  await run('tar', ['-xzf', 'release.tar.gz'], scratch);
  return path.join(scratch, name, 'nats-server');
}

async function download(url: string): Promise<Buffer | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
    return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
  } catch {
    return undefined;
  }
}

async function run(program: string, args: string[], cwd: string): Promise<void> {
  await promisify(execFile)(program, args, { cwd, timeout: 120_000 });
}

function advice(): string {
  if (process.platform === 'darwin') return 'Run: brew install nats-server (or set NATS_URL to a running server).';
  if (!onPath('apt-get')) return 'Put nats-server 2.9.10 or newer into PATH, or set NATS_URL to a running server.';
  return 'Run: apt-get update && apt-get install -y --no-install-recommends nats-server (or set NATS_URL to a running server).';
}
