// CSV out: what spreadsheets open without calculating it.
import { stringify } from 'csv-stringify/sync';

const BYTE_ORDER_MARK = '\uFEFF';

/** The lines of a file; with a header for its first page, which then says that it is UTF-8. Cells that begin like a formula get an apostrophe before them. */
export function csvPage(lines: (string | null)[][], header?: string[]): Buffer {
  const text = stringify(header ? [header, ...lines] : lines, { escape_formulas: true, record_delimiter: 'windows' });
  return Buffer.from(header ? BYTE_ORDER_MARK + text : text);
}
