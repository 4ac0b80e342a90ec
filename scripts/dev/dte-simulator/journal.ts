// The data of the simulated authority that survives restarts: a file with one line for each certificate, document and event.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// plain-words: seal is part of the format of the file
/** `seal` is the authority's stamp of receipt (`sello de recepción`). */
export type StoredDocument = {
  /** `ambiente`: 00 is for tests, 01 is production. Absent in entries of earlier versions. */
  environment?: string;
  kind: string;
  code: string;
  controlNumber: string;
  year: string;
  nit: string;
  seal: string;
  isInvalid: boolean;
  contingency: boolean;
};

export type Entry =
  | { certificate: { nit: string; privateKey: string; clave: string } }
  | { document: StoredDocument }
  /** An event with the documents that it invalidates or announces. */
  | { event: { code: string; seal: string; invalidates?: string; announces?: string[] } };

export type Journal = { entries: Entry[]; write(entry: Entry): void };

/** Without a folder, entries are stored in memory only. */
export function openJournal(folder: string | undefined): Journal {
  if (!folder) return { entries: [], write: () => {} };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, 'journal.jsonl');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  // The last part is empty, or an incomplete line when the process was killed.
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
