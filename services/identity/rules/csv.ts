// CSV that spreadsheets open as it is meant (RFC 4180): with a mark for UTF-8, and no cell that they would compute.

const BOM = '﻿';
const FORMULA = /^[=+\-@\t\r]/;

/** Lines end in CRLF. A cell that begins like a formula gets an apostrophe before it. */
export function toCsv(header: string[], lines: string[][]): string {
  return BOM + [header, ...lines].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const guarded = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
