// The way into each TypeScript program here: `node scripts/run.js start`. It says in one sentence what Node would say
// in a stack trace when it is too old.
import { nodeFault } from './node-version.js';

const fault = nodeFault(process.versions.node);
if (fault) {
  console.error(fault);
  process.exit(1);
}
const program = process.argv[2];
process.argv.splice(1, 2, new URL(`./${program}.ts`, import.meta.url).pathname);
await import(`./${program}.ts`);
