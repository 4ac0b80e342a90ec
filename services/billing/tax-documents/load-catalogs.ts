// Reads the catalogues of the authority, which lie beside the code as CSV: code, value and for some a department.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Catalogs, Entry } from './rules/catalogs.ts';

const FOLDER = path.join(import.meta.dirname, 'catalogs');

export function readCatalogs(): Catalogs {
  const lists = new Map<string, Entry[]>();
  for (const file of readdirSync(FOLDER).toSorted()) {
    const [list = ''] = file.split('_');
    const rows = parse(readFileSync(path.join(FOLDER, file)), { columns: true, bom: true, skip_empty_lines: true }) as Record<string, string>[];
    // One list has its heading twice.
    const entries = rows.filter(({ code }) => code !== 'CÓDIGO');
    lists.set(
      list,
      entries.map(({ code = '', value = '', department }) => ({ code, value: value.trim(), ...(department !== undefined && { parent: department }) })),
    );
  }
  return { lists };
}
