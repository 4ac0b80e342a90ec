// Words that say that something is unfinished, or that a machine of ours has left its trace.
import type { Fault, Source } from './source.ts';

// Put together here, so that this file is not its own first fault.
const unfinished = ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'];
const places = ['work', 'tmp', 'root', 'home', 'Users'].map((folder) => `/${folder}/`);
const WORDS = new RegExp(`\\b(?:${unfinished.join('|')})\\b`);
const PLACES = new RegExp(`(?<![\\w.}])(?:${places.join('|')})\\w`);

export function forbiddenWords(sources: Source[]): Fault[] {
  return sources.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, index) => {
      const at = `${file}:${index + 1}`;
      if (WORDS.test(line)) return [`${at}: finish it or leave it out: ${line.trim()}`];
      return PLACES.test(line) ? [`${at}: a path of one machine: ${line.trim()}`] : [];
    }),
  );
}
