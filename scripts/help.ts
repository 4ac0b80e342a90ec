// The command line of the small commands: `--help`, options, and the message for a wrong one.
import { type ParseArgsConfig, parseArgs } from 'node:util';

export function helpOn(usage: string): void {
  if (!process.argv.slice(2).some((word) => word === '--help' || word === '-h')) return;
  console.log(usage);
  process.exit(0);
}

/** Prints what is wrong with the command line and the usage, and ends the process. */
export function misused(complaint: string, usage: string): never {
  console.error(`${complaint}\n\n${usage}`);
  process.exit(1);
}

/** `parseArgs` of node:util, with `--help`, and the usage for a wrong command line, also one with more than `words` words besides the options. */
export function parseOptions<T extends ParseArgsConfig>(config: T, usage: string, words = Number.POSITIVE_INFINITY): ReturnType<typeof parseArgs<T>> {
  helpOn(usage);
  try {
    const parsed = parseArgs(config);
    const surplus = parsed.positionals[words];
    return surplus === undefined ? parsed : misused(`Unexpected argument '${surplus}'.`, usage);
  } catch (error) {
    return misused((error as Error).message, usage);
  }
}
