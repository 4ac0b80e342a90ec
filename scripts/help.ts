// The command line of the scripts: `--help`, options, and the response to an incorrect command line.
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Prints the usage and ends the process when the command line has `--help` or `-h`. */
export function helpOn(usage: string): void {
  if (!process.argv.slice(2).some((word) => word === '--help' || word === '-h')) return;
  console.log(usage);
  process.exit(0);
}

/** Prints what is wrong with the command line, then the usage, and ends the process with 1. */
export function misused(complaint: string, usage: string): never {
  console.error(`${complaint}\n\n${usage}`);
  process.exit(1);
}

/**
 * `parseArgs` of node:util with `--help`. `words` is the largest number of arguments besides the options. An incorrect command line ends the
 * process with a message and the usage.
 */
export function parseOptions<T extends ParseArgsConfig>(config: T, usage: string, words = Number.POSITIVE_INFINITY): ReturnType<typeof parseArgs<T>> {
  helpOn(usage);
  try {
    const parsed = parseArgs(config);
    const surplus = parsed.positionals[words];
    return surplus === undefined ? parsed : misused(`Unexpected argument '${surplus}'.`, usage);
  } catch (error) {
    // Node appends advice that repeats the usage.
    const [sentence = ''] = (error as Error).message.split('. ');
    return misused(`${sentence.replace(/\.$/, '')}.`, usage);
  }
}

/** The value of an option that takes a whole number. Any other value ends the process with a message and the usage. */
export function wholeNumber(option: string, text: string | undefined, [min, max]: readonly [number, number], usage: string): number {
  const number = /^\d+$/.test(text ?? '') ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : misused(`${option} must be a whole number from ${min} to ${max}.`, usage);
}

/** The values of a comma-separated option; undefined when it is not set. A value that is not among `allowed` ends the process likewise. */
export function listOf(option: string, text: string | undefined, allowed: readonly string[], usage: string): string[] | undefined {
  const chosen = text?.split(',');
  const unknown = chosen?.find((one) => !allowed.includes(one));
  return unknown === undefined ? chosen : misused(`${option} has the unknown value '${unknown}'. Allowed: ${allowed.join(', ')}.`, usage);
}
