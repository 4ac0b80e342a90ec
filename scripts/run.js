// Runs a TypeScript program of this folder by name: `node scripts/run.js start`. When Node is too old to run TypeScript, it prints one
// sentence instead of a stack trace.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { nodeFault } from './node-version.js';

const fault = nodeFault(process.versions.node);
if (fault) {
  console.error(fault);
  process.exit(1);
}
const program = process.argv[2];
const file = ['dev', 'ops', 'checks', '.'].map((folder) => new URL(`./${folder}/${program}.ts`, import.meta.url)).find((url) => existsSync(url));
if (!file) {
  console.error(program ? `There is no program ${program} in scripts/.` : 'Name a program in scripts/, for example: node scripts/run.js start --help');
  process.exit(1);
}
// Compiled code is stored for later starts and for child processes, which halves the processor time of a start.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../.cache/compiled', import.meta.url));
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);

process.argv.splice(1, 2, file.pathname);
await import(file.href);
