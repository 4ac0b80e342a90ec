// Finds markers of unfinished work and paths of a developer's machine.
import type { Fault, Source } from './source.ts';

// Composed, so that this file does not contain the words itself.
const unfinished = ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'];
const places = ['work', 'tmp', 'root', 'home', 'Users'].map((folder) => `/${folder}/`);
const WORDS = new RegExp(`\\b(?:${unfinished.join('|')})\\b`);
const PLACES = new RegExp(`(?<![\\w.}])(?:${places.join('|')})\\w`);

export function findUnfinished(sources: Source[]): Fault[] {
  return sources.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, index) => {
      const at = `${file}:${index + 1}`;
      if (WORDS.test(line)) return [`${at}: finish or remove: ${line.trim()}`];
      return PLACES.test(line) ? [`${at}: contains a path of a developer's machine: ${line.trim()}`] : [];
    }),
  );
}
