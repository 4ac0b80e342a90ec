// `npm run upgrade-rehearsal`: runs the code of the previous release on the schema of this tree, either its end-to-end tests or a rolling
// downgrade and upgrade under load.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inTempFolder } from '../dev/temp-folder.ts';
import { listOf, misused, parseOptions, wholeNumber } from '../help.ts';
import { PROJECT, SERVICES } from '../schemas.ts';
import { startCluster } from './cluster.ts';
import { reportRolling, rollingRestart } from './rolling.ts';

const USAGE = `Usage: npm run upgrade-rehearsal -- [--from <ref>] [test files]
       npm run upgrade-rehearsal -- --under-load [--from <ref>] [--only <services>] [--rate <n>]

Takes the code of an earlier release or commit, adds the migrations of this tree, and runs end-to-end tests of that code. They show that old
processes work on the new schema, both during a rolling upgrade and after a return to the old release.

With --under-load it starts two copies of each process of this tree instead, runs the migrate of the earlier code, and under load replaces the
processes one by one with those of the earlier code and then with those of this tree again. No request may fail.

  --from <ref>   the code to run (default: the newest tag v*, or the commit before this one when there is no such tag)
  --only <a,b>   with --under-load: replaces only these services, and starts one copy of the others
  --rate <n>     with --under-load: requests per second (default: 10)
  --help         this text

The test files are those of the earlier code (default: e2e/journey.test.ts). Does nothing when there is no git history.`;

const JOURNEYS = ['e2e/journey.test.ts'];

const { values, positionals } = parseOptions(
  {
    options: { from: { type: 'string' }, 'under-load': { type: 'boolean' }, only: { type: 'string' }, rate: { type: 'string' } },
    allowPositionals: true,
  },
  USAGE,
);
const underLoad = values['under-load'] === true;
if (!underLoad && (values.only ?? values.rate) !== undefined) misused('--only and --rate are used with --under-load.', USAGE);
if (underLoad && positionals.length > 0) misused('Test files cannot be combined with --under-load.', USAGE);
const only = listOf('--only', values.only, [...SERVICES, 'gateway'], USAGE);
const perSecond = wholeNumber('--rate', values.rate ?? '10', [1, 10_000], USAGE);
if (values.from !== undefined && !isCommit(values.from)) misused(`There is no ${values.from} in this repository.`, USAGE);
const ref = values.from ?? earlierRef();
if (!ref) {
  console.log('Nothing was run: there is no git history with earlier code.');
  process.exit(0);
}
const tree = mkdtempSync(path.join(os.tmpdir(), 'clinic-upgrade-'));
process.exitCode = 1;
try {
  takeCode(ref, tree);
  process.exitCode = underLoad ? await inTempFolder('going-back', (folder) => goBackUnderLoad(ref, tree, folder)) : rehearse(ref, tree);
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

function isCommit(name: string): boolean {
  return spawnSync('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { cwd: PROJECT, stdio: 'ignore' }).status === 0;
}

/** Writes the tree of a commit into a folder, links its own workspaces and the other packages of this tree, and generates its code. */
function takeCode(from: string, into: string): void {
  const archive = execFileSync('git', ['archive', '--format=tar', from], { cwd: PROJECT, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', into], { input: archive });
  const [ours, theirs] = [path.join(PROJECT, 'node_modules'), path.join(into, 'node_modules')];
  mkdirSync(path.join(theirs, '@clinic'), { recursive: true });
  for (const name of readdirSync(ours).filter((name) => name !== '@clinic')) symlinkSync(path.join(ours, name), path.join(theirs, name));
  for (const folder of ['proto', 'lib', 'gateway', ...readdirSync(path.join(into, 'services')).map((name) => `services/${name}`)])
    symlinkSync(path.join(into, folder), path.join(theirs, '@clinic', path.basename(folder)));
  if (existsSync(path.join(into, 'sdk'))) symlinkSync(path.join(PROJECT, 'sdk/node_modules'), path.join(into, 'sdk/node_modules'));
  if (existsSync(path.join(PROJECT, '.cache'))) symlinkSync(path.join(PROJECT, '.cache'), path.join(into, '.cache'));
  execFileSync('npm', ['run', '-s', 'prepare'], { cwd: into, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Copies the migrations of this tree into the earlier code. Returns those that the earlier code lacks. */
function takeMigrations(into: string): string[] {
  const folders = ['lib/db', 'gateway', ...readdirSync(path.join(PROJECT, 'services')).map((name) => `services/${name}`)].map(
    (folder) => `${folder}/migrations`,
  );
  return folders
    .filter((folder) => existsSync(path.join(PROJECT, folder)))
    .flatMap((folder) => {
      const known = existsSync(path.join(into, folder)) ? readdirSync(path.join(into, folder)) : [];
      cpSync(path.join(PROJECT, folder), path.join(into, folder), { recursive: true });
      return readdirSync(path.join(PROJECT, folder)).flatMap((name) => (known.includes(name) ? [] : [`${folder}/${name}`]));
    });
}

function runJourneys(cwd: string, files: string[]): number {
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--selectProjects', 'e2e-single', '--runTestsByPath', ...files];
  const { status } = spawnSync(process.execPath, jest, { cwd, stdio: 'inherit', env: { ...process.env, NODE_OPTIONS: '' } });
  return status ?? 1;
}

function rehearse(from: string, into: string): number {
  const added = takeMigrations(into);
  console.log(added.length === 0 ? `This tree has no newer migrations than ${from}.` : `migrations newer than ${from}: ${added.join(', ')}`);
  const status = runJourneys(into, positionals.length > 0 ? positionals : JOURNEYS);
  console.log(`The tests of ${from} ${status === 0 ? 'pass' : 'fail'} on the schema of this tree.`);
  return status;
}

/** Deploys the earlier code with its own migrations, as a return to the earlier release does, and then this tree again. */
async function goBackUnderLoad(from: string, into: string, folder: string): Promise<number> {
  const cluster = await startCluster(folder, only ? { twice: only } : {});
  try {
    const DATABASE_URL = cluster.ownerUrl;
    execFileSync(process.execPath, ['scripts/run.js', 'migrate'], { cwd: into, stdio: 'inherit', env: { ...process.env, NODE_OPTIONS: '', DATABASE_URL } });
    for (const [what, code] of [
      [`back to ${from}`, into],
      ['forward to this tree', PROJECT],
    ] as const) {
      const { lines, passed } = reportRolling(await rollingRestart(cluster, { perSecond, only, tree: code, print: (line) => console.log(line) }));
      console.log([what, ...lines].join('\n'));
      if (!passed) return 1;
    }
    return 0;
  } finally {
    await cluster.stop();
  }
}
