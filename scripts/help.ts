// `--help` of the small commands: prints how to use one and ends.

export function helpOn(usage: string): void {
  if (!process.argv.slice(2).some((word) => word === '--help' || word === '-h')) return;
  console.log(usage);
  process.exit(0);
}

/** Says what is wrong with the command line, and how it would be right. */
export function misused(complaint: string, usage: string): never {
  console.error(`${complaint}\n\n${usage}`);
  process.exit(1);
}
