// `npm run upgrade-rehearsal`: the code of the previous release on the schema of this tree: its end-to-end tests, or going back under load.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inTempFolder } from '../dev/temp-folder.ts';
import { misused, parseOptions } from '../help.ts';
import { PROJECT } from '../schemas.ts';
import { startCluster } from './cluster.ts';
import { reportRolling, rollingRestart } from './rolling.ts';

const USAGE = `Usage: npm run upgrade-rehearsal [-- --from <ref>] [test files]

Checks out the code of an earlier release or commit, adds the migrations of this tree, and runs end-to-end tests of that code.
They show that old processes work on the new schema, during a rolling upgrade and after going back to the old release.

  --under-load  instead of the tests: starts two copies of each process of this tree, and replaces them one by one under load by those
                of the earlier code, after its migrate, and then by those of this tree again. No request may fail.
  --only <a,b>  with --under-load: only these services, and one copy of the others
  --rate <n>    with --under-load: requests a second (default: 10)
  --from <ref>  the code to run (default: the newest tag v*, else the commit before this one)
  --help        this text

The test files are those of the earlier code (default: e2e/journey.test.ts). Without git history nothing is run.`;

const JOURNEYS = ['e2e/journey.test.ts'];

const { values, positionals } = parseOptions(
  {
    options: { from: { type: 'string' }, 'under-load': { type: 'boolean' }, only: { type: 'string' }, rate: { type: 'string', default: '10' } },
    allowPositionals: true,
  },
  USAGE,
);
const ref = values.from ?? earlierRef();
if (!ref) {
  console.log('skipped: there is no git history to take earlier code from');
  process.exit(0);
}
const tree = mkdtempSync(path.join(os.tmpdir(), 'clinic-upgrade-'));
process.exitCode = 1;
try {
  takeCode(ref, tree);
  process.exitCode = values['under-load'] ? await inTempFolder('going-back', (folder) => goBackUnderLoad(ref, tree, folder)) : rehearse(ref, tree);
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

/** Writes the tree of a commit, with the packages of this tree but its own workspaces, and generates its code. */
function takeCode(from: string, into: string): void {
  const archive = spawnSync('git', ['archive', '--format=tar', from], { cwd: PROJECT, maxBuffer: 1 << 30 });
  if (archive.status !== 0) misused(`There is no ${from} in this repository.`, USAGE);
  execFileSync('tar', ['-x', '-C', into], { input: archive.stdout });
  const [ours, theirs] = [path.join(PROJECT, 'node_modules'), path.join(into, 'node_modules')];
  mkdirSync(path.join(theirs, '@clinic'), { recursive: true });
  for (const name of readdirSync(ours).filter((name) => name !== '@clinic')) symlinkSync(path.join(ours, name), path.join(theirs, name));
  for (const folder of ['proto', 'lib', 'gateway', ...readdirSync(path.join(into, 'services')).map((name) => `services/${name}`)])
    symlinkSync(path.join(into, folder), path.join(theirs, '@clinic', path.basename(folder)));
  if (existsSync(path.join(into, 'sdk'))) symlinkSync(path.join(PROJECT, 'sdk/node_modules'), path.join(into, 'sdk/node_modules'));
  if (existsSync(path.join(PROJECT, '.cache'))) symlinkSync(path.join(PROJECT, '.cache'), path.join(into, '.cache'));
  execFileSync('npm', ['run', '-s', 'prepare'], { cwd: into, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Replaces the earlier migrations with those of this tree. Returns those that the earlier code lacks. */
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
  console.log(`${from} on this schema: ${added.length === 0 ? 'no newer migration' : `newer are ${added.join(', ')}`}`);
  const status = runJourneys(into, positionals.length > 0 ? positionals : JOURNEYS);
  console.log(`the code of ${from} ${status === 0 ? 'runs' : 'does not run'} on this schema`);
  return status;
}

/** The earlier code as a whole, its own migrations included, as it would be deployed again. */
async function goBackUnderLoad(from: string, into: string, folder: string): Promise<number> {
  const only = values.only?.split(',');
  const perSecond = Number(values.rate);
  const cluster = await startCluster(folder, only ? { twice: only } : {});
  try {
    const DATABASE_URL = cluster.ownerUrl;
    execFileSync(process.execPath, ['scripts/run.js', 'migrate'], { cwd: into, stdio: 'inherit', env: { ...process.env, NODE_OPTIONS: '', DATABASE_URL } });
    for (const [what, code] of [
      [`back to ${from}`, into],
      ['forward to this tree', PROJECT],
    ] as const) {
      const { lines, passed } = reportRolling(await rollingRestart(cluster, { perSecond, only, tree: code, say: (line) => console.log(line) }));
      console.log([what, ...lines].join('\n'));
      if (!passed) return 1;
    }
    return 0;
  } finally {
    await cluster.stop();
  }
}
