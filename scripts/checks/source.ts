// The project's own text files, for the checks that read them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export type Source = { file: string; text: string };
/** One line: the place, and what to do instead. */
export type Fault = string;

const OUTSIDE = new Set(['node_modules', '.git', '.data', '.cache', 'gen', 'dist', 'coverage', 'bench-results', 'examples.json', 'package-lock.json']);
const TEXT = /\.(ts|js|mjs|sql|proto|md|json|html|yaml|yml|css)$/;

/** Every text file below `root`, with its relative path. */
export function readSources(root: string, below = ''): Source[] {
  return readdirSync(path.join(root, below), { withFileTypes: true })
    .filter(({ name }) => !OUTSIDE.has(name))
    .flatMap((entry) => {
      const file = path.posix.join(below, entry.name);
      if (entry.isDirectory()) return readSources(root, file);
      return TEXT.test(file) ? [{ file, text: readFileSync(path.join(root, file), 'utf8') }] : [];
    });
}

export const isTest = (file: string) => /^e2e\/|\/testing\/|\.test\.ts$/.test(file);

/** A fault for each line that matches the pattern, in code files that are neither tests nor excused. */
export function faultsByLine(sources: Source[], pattern: RegExp, excused: RegExp, advice: string): Fault[] {
  return sources
    .filter(({ file }) => /\.(ts|js|mjs)$/.test(file) && !isTest(file) && !excused.test(file))
    .flatMap(({ file, text }) =>
      text.split('\n').flatMap((line, index) => (pattern.test(line) && !/^\s*(\/\/|\*)/.test(line) ? [`${file}:${index + 1}: ${advice}`] : [])),
    );
}
