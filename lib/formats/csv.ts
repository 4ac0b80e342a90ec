// CSV output (RFC 4180) that spreadsheets open as text and never as formulas.
import { stringify } from 'csv-stringify/sync';

const BYTE_ORDER_MARK = '\uFEFF';

// Positions where a formula begins: at the start of a cell or, for a reader that splits lines at semicolons or tabs, after one of these or a line
// break. Includes the full-width characters, which some spreadsheets treat like the others.
const BEGINS = '(^|[;\\t\\r\\n])';
const FORMULA = '(?=[" ]*[=+\\-@＝＋－＠])';
const BLANK = '(?=[\\t\\r\\n])';
const UNGUARDED = new RegExp(`${BEGINS}${FORMULA}|^${BLANK}`, 'g');
const GUARDED = new RegExp(`${BEGINS}'${FORMULA}|^'${BLANK}`, 'g');
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * CSV with CRLF line ends and every cell in quotes. `header` is for the first page of a file, which then begins with a byte order mark, so that
 * spreadsheets read it as UTF-8. Text that a spreadsheet would evaluate as a formula is prefixed with an apostrophe, also after a semicolon, tab or
 * line break in a cell. Null is an empty cell.
 */
export function toCsv(lines: (string | null)[][], header?: readonly string[]): string {
  const text = stringify(
    (header ? [[...header], ...lines] : lines).map((cells) => cells.map(guardCell)),
    { record_delimiter: 'windows', quoted: true },
  );
  return header ? BYTE_ORDER_MARK + text : text;
}

const guardCell = (cell: string | null): string | null => (cell === null || NUMBER.test(cell) ? cell : cell.replace(UNGUARDED, "$1'"));

/** The cell without the apostrophes that toCsv() adds. */
export const unguardCell = (cell: string): string => cell.replace(GUARDED, '$1');
