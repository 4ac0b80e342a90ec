// CSV output (RFC 4180) that spreadsheets open as it is meant.
import { stringify } from 'csv-stringify/sync';

const BYTE_ORDER_MARK = '\uFEFF';

// Also the full-width forms, which some spreadsheets normalise.
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Lines with CRLF. A header belongs to the first page of a file, which then begins with a byte order mark, so that spreadsheets read
 * UTF-8. A cell that a spreadsheet would compute gets an apostrophe before it; null is an empty cell.
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
