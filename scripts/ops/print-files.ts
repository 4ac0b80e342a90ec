const EVERY = 500;

/** Reports the progress of long work on patients' files. */
export function printFiles(print: (line: string) => void, done: number, all: number): void {
  if (done > 0 && done % EVERY === 0) print(`${done} of ${all} files of patients so far`);
}
