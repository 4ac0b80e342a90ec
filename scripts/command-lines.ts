// Runs command lines of several programs in one process, for tests: the modules that the programs share are loaded only once. Reads from standard input
// one command line per line, as JSON, and runs one after another. A separator, the argument of this program, follows the output of each: on standard
// output before and after its status, which is empty when the program did not end itself, and once on standard error.
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { PROJECT } from './schemas.ts';

const { exit, argv } = process;
const [, , separator = ''] = argv;
const { log, error } = console;
const ignore = () => {};
process.stdout.setMaxListeners(0); // each command of `npm run ops` adds one
let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const [program = '', ...args]: string[] = JSON.parse(line);
  const file = path.join(PROJECT, program);
  let status: number | undefined;
  process.argv = [argv[0] as string, file, ...args];
  Object.assign(console, { log, error });
  // The first call decides: parseOptions catches this error, and would complain a second time.
  process.exit = ((code: number) => {
    status ??= code;
    Object.assign(console, { log: ignore, error: ignore });
    throw new Error('ended');
  }) as typeof exit;
  // A different query evaluates the program again, but not the modules that it imports.
  await import(`${pathToFileURL(file)}?${count++}`).catch(({ stack }: Error) => {
    if (status === undefined) error(stack);
  });
  process.stdout.write(`${separator}${status ?? ''}${separator}`);
  process.stderr.write(separator);
}
exit(0);
