// `npm run upgrade-rehearsal`: the code of the release before, running a clinic's journeys on the schema of this tree.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { helpOn, misused } from '../help.ts';
import { PROJECT } from '../schemas.ts';

const USAGE = `Usage: npm run upgrade-rehearsal [-- --from <ref>] [test files]

Takes the code of an earlier release or commit, gives its database the migrations of this tree, and runs its own journeys
of a clinic on it: what a rolling upgrade does while old processes meet the new schema, and what going back means.

  --from <ref>  the code to run (default: the newest tag v*, else the commit before this one)
  --help        this text

Test files are those of the earlier code; default e2e/journey.test.ts. Without git history it is skipped.`;

const JOURNEYS = ['e2e/journey.test.ts'];

function readOptions() {
  try {
    return parseArgs({ options: { from: { type: 'string' } }, allowPositionals: true });
  } catch (error) {
    return misused((error as Error).message, USAGE);
  }
}

helpOn(USAGE);
const { values, positionals } = readOptions();
const ref = values.from ?? earlierRef();
if (!ref) {
  console.log('skipped: there is no git history here to take earlier code from');
  process.exit(0);
}
const tree = mkdtempSync(path.join(os.tmpdir(), 'clinic-upgrade-'));
process.exitCode = 1;
try {
  takeCode(ref, tree);
  const added = takeMigrations(tree);
  console.log(`${ref} on this schema: ${added.length === 0 ? 'no newer migration' : `newer are ${added.join(', ')}`}`);
  process.exitCode = runJourneys(tree, positionals.length > 0 ? positionals : JOURNEYS);
  console.log(process.exitCode === 0 ? `the code of ${ref} runs on this schema` : `the code of ${ref} does not run on this schema`);
} finally {
  rmSync(tree, { recursive: true, force: true });
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

function earlierRef(): string | undefined {
  try {
    const [tag] = git('tag', '--list', 'v*', '--sort=-version:refname', '--merged', 'HEAD').split('\n');
    return tag || git('rev-parse', '--short', 'HEAD~1');
  } catch {
    return undefined;
  }
}

/** The tree of a commit, with the packages of this one but its own workspaces, and its own generated code. */
function takeCode(from: string, into: string): void {
  const archive = spawnSync('git', ['archive', '--format=tar', from], { cwd: PROJECT, maxBuffer: 1 << 30 });
  if (archive.status !== 0) misused(`There is no ${from} in this repository.`, USAGE);
  execFileSync('tar', ['-x', '-C', into], { input: archive.stdout });
  const [ours, theirs] = [path.join(PROJECT, 'node_modules'), path.join(into, 'node_modules')];
  mkdirSync(path.join(theirs, '@clinic'), { recursive: true });
  for (const name of readdirSync(ours).filter((name) => name !== '@clinic')) symlinkSync(path.join(ours, name), path.join(theirs, name));
  for (const room of ['proto', 'lib', 'gateway', ...readdirSync(path.join(into, 'services')).map((name) => `services/${name}`)])
    symlinkSync(path.join(into, room), path.join(theirs, '@clinic', path.basename(room)));
  if (existsSync(path.join(PROJECT, '.cache'))) symlinkSync(path.join(PROJECT, '.cache'), path.join(into, '.cache'));
  execFileSync('npm', ['run', '-s', 'prepare'], { cwd: into, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Puts this tree's migrations in the place of the earlier ones. Returns those that are new to it. */
function takeMigrations(into: string): string[] {
  const rooms = ['lib/db', 'gateway', ...readdirSync(path.join(PROJECT, 'services')).map((name) => `services/${name}`)].map((room) => `${room}/migrations`);
  return rooms
    .filter((room) => existsSync(path.join(PROJECT, room)))
    .flatMap((room) => {
      const known = existsSync(path.join(into, room)) ? readdirSync(path.join(into, room)) : [];
      cpSync(path.join(PROJECT, room), path.join(into, room), { recursive: true });
      return readdirSync(path.join(PROJECT, room)).flatMap((name) => (known.includes(name) ? [] : [`${room}/${name}`]));
    });
}

function runJourneys(cwd: string, files: string[]): number {
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--selectProjects', 'e2e-single', '--runTestsByPath', ...files];
  const { status } = spawnSync(process.execPath, jest, { cwd, stdio: 'inherit', env: { ...process.env, NODE_OPTIONS: '' } });
  return status ?? 1;
}
