// `npm run verify`: everything that must hold, in the order in which it is quick to find out.
import { spawnSync } from 'node:child_process';
import { helpOn } from '../help.ts';
import { PROJECT } from '../schemas.ts';

helpOn(
  'Usage: npm run verify\n\nLock file, generated code, format, lint, types, directions, project rules, licences and install scripts of dependencies, Kubernetes objects, contracts, and the tests, which also hold the pages against the code. Stops at the first that fails.',
);

const CHECKS: [what: string, command: string][] = [
  ['lock file', 'npm ci --dry-run --ignore-scripts --no-audit --no-fund'],
  ['generated code', 'npm run -s prepare'],
  ['format and lint', 'biome ci .'],
  ['types', 'tsc --noEmit -p tsconfig.json'],
  ['directions', 'depcruise lib gateway services scripts e2e sdk/src'],
  ['project rules', 'npm run -s check'],
  ['Kubernetes', 'npm run -s check-kubernetes'],
  ['contracts', 'buf lint && buf format --diff --exit-code'],
  ['tests', 'npm test'],
];

for (const [what, command] of CHECKS) {
  console.log(`\n${what}: ${command}`);
  const { status } = spawnSync(command, { shell: true, stdio: 'inherit', cwd: PROJECT });
  if (status !== 0) {
    console.error(`\n${what}: failed`);
    process.exit(1);
  }
}
console.log('\neverything holds');
