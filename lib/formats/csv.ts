// CSV output (RFC 4180) that spreadsheets open as text and never as formulas.
import { stringify } from 'csv-stringify/sync';

const BYTE_ORDER_MARK = '\uFEFF';

// Includes the full-width forms, which some spreadsheets treat like the others.
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Lines with CRLF. A header belongs to the first page of a file, which then begins with a byte order mark, so that spreadsheets read
 * UTF-8. A cell that a spreadsheet would evaluate as a formula is prefixed with an apostrophe; null is an empty cell.
 */
export function toCsv(lines: (string | null)[][], header?: readonly string[]): string {
  const text = stringify(
    (header ? [[...header], ...lines] : lines).map((cells) => cells.map(guardCell)),
    { record_delimiter: 'windows' },
  );
  return header ? BYTE_ORDER_MARK + text : text;
}

function guardCell(cell: string | null): string | null {
  return cell !== null && FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}
