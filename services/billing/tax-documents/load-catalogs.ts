// Loads the catalogues of the tax authority, CSV files with the columns code and value, some also with department.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Catalogs, Entry } from './rules/catalogs.ts';

const FOLDER = path.join(import.meta.dirname, 'catalogs');

export function loadCatalogs(): Catalogs {
  return new Map(
    readdirSync(FOLDER)
      .toSorted()
      .map((file) => [file.split('_')[0] ?? '', loadEntries(file)]),
  );
}

function loadEntries(file: string): Entry[] {
  const rows = parse(readFileSync(path.join(FOLDER, file)), { columns: true, bom: true, skip_empty_lines: true }) as Record<string, string>[];
  return rows
    .filter(({ code }) => code !== 'CÓDIGO') // one list repeats its heading
    .map(({ code = '', value = '', department }) => ({ code, value: value.trim(), ...(department !== undefined && { parent: department }) }));
}
