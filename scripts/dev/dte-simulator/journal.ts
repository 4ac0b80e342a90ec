// What the simulated authority keeps over restarts: one line for each thing that it has taken in.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** As the authority knows a document. */
export type Kept = { kind: string; code: string; controlNumber: string; year: string; nit: string; seal: string; isInvalid: boolean; contingency: boolean };

export type Entry =
  | { certificate: { nit: string; privateKey: string; clave: string } }
  | { document: Kept }
  /** The seal of an event, with what it invalidates or announces. */
  | { event: { code: string; seal: string; invalidates?: string; announces?: string[] } };

export type Journal = { entries: Entry[]; write(entry: Entry): void };

/** In memory alone when there is no folder. */
export function openJournal(folder: string | undefined): Journal {
  if (!folder) return { entries: [], write: () => {} };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, 'journal.jsonl');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  // The last piece is empty, or a line that a kill has cut off.
  const torn = lines.pop();
  if (torn) appendFileSync(file, '\n', { mode: 0o600 });
  return {
    entries: lines.flatMap((line) => parse(line)),
    write: (entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 }),
  };
}

function parse(line: string): Entry[] {
  try {
    return [JSON.parse(line) as Entry];
  } catch {
    return [];
  }
}
