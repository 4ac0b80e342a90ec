// `npm run verify`: every check that a change must pass, the quickest first.
import { spawnSync } from 'node:child_process';
import { parseOptions } from '../help.ts';
import { PROJECT } from '../schemas.ts';

const USAGE = `Usage: npm run verify

Checks everything that a change must pass, and stops at the first failure: lock file, generated code, format, lint, types, import directions,
project rules, licences and install scripts of dependencies, Kubernetes objects, contracts, and the tests, which also compare the documentation
with the code.`;

parseOptions({ options: {} }, USAGE);

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
console.log('\nall checks passed');
