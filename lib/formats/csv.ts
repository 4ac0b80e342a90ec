// CSV output (RFC 4180) that spreadsheets open as text and never as formulas.
import { stringify } from 'csv-stringify/sync';

const BYTE_ORDER_MARK = '\uFEFF';

// Where a cell begins a formula, or a part of one does for a reader that divides lines at semicolons or tabs. Includes the full-width forms,
// which some spreadsheets treat like the others.
const BEGINS = '(^|[;\\t\\r\\n])';
const FORMULA = '(?=[" ]*[=+\\-@＝＋－＠])';
const BLANK = '(?=[\\t\\r\\n])';
const UNGUARDED = new RegExp(`${BEGINS}${FORMULA}|^${BLANK}`, 'g');
const GUARDED = new RegExp(`${BEGINS}'${FORMULA}|^'${BLANK}`, 'g');
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Lines with CRLF, every cell in quotes. A header belongs to the first page of a file, which then begins with a byte order mark, so that
 * spreadsheets read UTF-8. What a spreadsheet would evaluate as a formula is prefixed with an apostrophe, also after a semicolon, tab or
 * line break in a cell; null is an empty cell.
 */
export function toCsv(lines: (string | null)[][], header?: readonly string[]): string {
  const text = stringify(
    (header ? [[...header], ...lines] : lines).map((cells) => cells.map(guardCell)),
    { record_delimiter: 'windows', quoted: true },
  );
  return header ? BYTE_ORDER_MARK + text : text;
}

const guardCell = (cell: string | null): string | null => (cell === null || NUMBER.test(cell) ? cell : cell.replace(UNGUARDED, "$1'"));

/** The cell without the apostrophes of toCsv. */
export const unguardCell = (cell: string): string => cell.replace(GUARDED, '$1');
