// Runs command lines of several programs in one process, for help.test.ts: the modules that the programs share are loaded only once. Reads the
// command lines from standard input as JSON, and prints the status and the output of each.
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { PROJECT } from './schemas.ts';

/** The status is undefined when the program did not end itself. */
export type Outcome = { status?: number; stdout: string; stderr: string };

if (import.meta.main) {
  const { exit, argv } = process;
  const { log } = console;
  const outcomes: Outcome[] = [];
  for (const [index, [program = '', ...args]] of (JSON.parse(await text(process.stdin)) as string[][]).entries()) {
    const file = path.join(PROJECT, program);
    const outcome: Outcome = { stdout: '', stderr: '' };
    process.argv = [argv[0] as string, file, ...args];
    console.log = (line: string) => {
      outcome.stdout += `${line}\n`;
    };
    console.error = (line: string) => {
      outcome.stderr += `${line}\n`;
    };
    // The first call decides: parseOptions catches this error, and would complain a second time.
    process.exit = ((status: number) => {
      outcome.status ??= status;
      console.error = () => {};
      throw new Error('ended');
    }) as typeof exit;
    // A different query evaluates the program again, but not the modules that it imports.
    await import(`${pathToFileURL(file)}?${index}`).catch((error: Error) => {
      if (outcome.status === undefined) outcome.stderr += error.stack;
    });
    outcomes.push(outcome);
  }
  log(JSON.stringify(outcomes));
  exit(0);
}
