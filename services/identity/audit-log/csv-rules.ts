// CSV that spreadsheets open as it is meant (RFC 4180): with a mark for UTF-8, and no cell that they would compute.

const BOM = '﻿';
const FORMULA = /^[=+\-@\t\r]/;

/** Lines end in CRLF; with a header for the first page of a file. A cell that begins like a formula gets an apostrophe before it. */
export function toCsv(lines: string[][], header?: string[]): string {
  const text = (header ? [header, ...lines] : lines).map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
  return header ? BOM + text : text;
}

function cell(text: string): string {
  const guarded = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
