// Words that a reader of the code base would not understand, with their replacements (docs/style.md). They are found in names, comments, messages
// and pages; names in camelCase, kebab-case and snake_case are read word by word. Names that are stored or published (docs/persisted-names.md) are
// excluded. A line on which a word is correct has a comment such as `plain-words: visit is the provider's term`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Fault, Source } from './source.ts';

const USE_INSTEAD: Record<string, string> = {
  anew: 'again',
  away: 'unavailable',
  bell: 'signal',
  bells: 'signals',
  door: 'gateway, public API, endpoint',
  doors: 'endpoints',
  drawing: 'chart, diagram, svg',
  drawings: 'charts, diagrams',
  fate: 'outcome',
  fates: 'outcomes',
  hear: 'receive',
  heard: 'received',
  hears: 'receives',
  house: 'project, code base',
  kept: 'stored, retained',
  neighbour: 'dependency, client',
  neighbours: 'dependencies, clients',
  news: 'event, notice',
  paper: 'document, receipt, quote',
  papers: 'documents',
  rival: 'concurrent request',
  rivals: 'concurrent requests',
  rung: 'notified',
  seal: 'encrypt',
  sealed: 'encrypted',
  seals: 'encrypts',
  stranger: 'another clinic, unauthenticated caller',
  strangers: 'other clinics, third parties',
  talk: 'conversation, turn',
  talks: 'conversations, turns',
  tell: 'publish, notify, return',
  telling: 'publishing, notifying',
  tells: 'publishes, notifies, returns',
  told: 'published, notified, returned',
  visit: 'appointment',
  visits: 'appointments',
  visitor: 'client, patient',
  visitors: 'clients, patients',
};
const PHRASES: Record<string, string> = { 'side by side': 'concurrently' };

// The tax authority seals documents (sello de recepción), so the word is correct in these files.
const SEALS = { files: /billing|dte|tax-documents/, words: new Set(['seal', 'sealed', 'seals']) };

const ALLOWED = /plain-words: (\w+) \S/;
const NOT_READ =
  /(^|\/)(migrations|fixtures|catalogs)\/|(persisted-names|style)\.md$|^package-lock\.json$|^scripts\/checks\/(private-words|checks\.test)\.ts$|\.(csv|svg)$/;

export function privateWords(sources: Source[], persisted: ReadonlySet<string>): Fault[] {
  return sources
    .filter(({ file }) => !NOT_READ.test(file))
    .flatMap(({ file, text }) => {
      // Names in contracts are public, so only their comments are read.
      const lines = text.split('\n').map((line) => (file.endsWith('.proto') ? line.replace(/^[^/]*/, '') : line));
      return lines.flatMap((line, index) => {
        const allowed = new Set([ALLOWED.exec(line)?.[1], ALLOWED.exec(lines[index - 1] ?? '')?.[1]]);
        return wordsOf(line, persisted)
          .filter(({ word }) => !allowed.has(word) && !(SEALS.files.test(file) && SEALS.words.has(word)))
          .map(({ word, instead }) => `${file}:${index + 1}: "${word}": ${instead}: ${line.trim().slice(0, 120)}`);
      });
    });
}

function wordsOf(line: string, persisted: ReadonlySet<string>): { word: string; instead: string }[] {
  const found = Object.entries(PHRASES).flatMap(([word, instead]) => (line.toLowerCase().includes(word) ? [{ word, instead }] : []));
  for (const [name] of line.matchAll(/[\p{L}\d_$|.:-]+/gu)) {
    if (!SUSPICIOUS.test(name) || isPersisted(name, persisted)) continue;
    for (const part of name.split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u)) {
      const word = part.toLowerCase();
      const instead = Object.hasOwn(USE_INSTEAD, word) ? USE_INSTEAD[word] : undefined;
      if (instead && !isPersisted(part, persisted)) found.push({ word, instead });
    }
  }
  return found;
}

const SUSPICIOUS = new RegExp(Object.keys(USE_INSTEAD).join('|'), 'i');

/** Whether it is a persisted name, also with a table before the column (`p.dui_sealed`), with punctuation around it, or in camelCase. */
function isPersisted(name: string, persisted: ReadonlySet<string>): boolean {
  if (!/[_|-]|\p{Ll}\p{Lu}/u.test(name)) return false; // a plain word, not a name
  const bare = name.replace(/^[.:|-]+|[.:|-]+$/g, '');
  const last = (bare.split('.').at(-1) ?? '').replace(/(?<=\p{Ll})(Request|Response|Schema)+$/u, ''); // messages of an RPC and their generated names
  const snakeCase = last.replace(/\p{Lu}/gu, (letter) => `_${letter.toLowerCase()}`);
  return [bare, last, last.replace(/^./, (letter) => letter.toUpperCase()), snakeCase].some((spelling) => persisted.has(spelling));
}

/** The names in backticks in docs/persisted-names.md, their parts between dots, and durable consumers without their service. */
export function persistedNames(root: string): Set<string> {
  const page = readFileSync(path.join(root, 'docs/persisted-names.md'), 'utf8');
  return new Set([...page.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => [name, name.replace(/^[a-z]+-/, ''), ...name.split(/[. ]/)]));
}
