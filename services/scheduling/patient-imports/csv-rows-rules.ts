// A streaming CSV parser (RFC 4180, with the delimiters comma, semicolon and tab). Known libraries lose the rest of a file after a quote
// that is never closed; here only the row is lost.

/** The cells of a row, or undefined when its quotes do not match. */
type CsvRow = string[] | undefined;

const MAX_ROW_LENGTH = 32_768;

/** Rows of the text, including empty ones: the same for any division into chunks. */
export async function* parseRows(chunks: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRow> {
  let text = '';
  /** Whether the text begins within the line of a malformed row, which was returned. */
  let isSkipped = false;
  function* rows(ended: boolean): Generator<CsvRow> {
    let at = 0;
    while (at < text.length) {
      if (isSkipped) {
        const next = lineAfter(text, at, ended);
        isSkipped = next === undefined;
        at = next ?? (text.endsWith('\r') ? text.length - 1 : text.length);
        if (isSkipped) break;
        continue;
      }
      const row = rowAt(text, at, delimiter, ended);
      if (!row) break;
      yield row === 'broken' ? undefined : row.cells;
      if (row === 'broken') isSkipped = true;
      else at = row.next;
    }
    text = text.slice(at);
  }
  for await (const chunk of chunks) {
    text += chunk;
    yield* rows(false);
  }
  yield* rows(true);
}

/** The delimiter of a header line. */
export function delimiterOf(line: string): string {
  const counted = [',', ';', '\t'].map((sign) => ({ sign, count: line.split(sign).length }));
  return counted.reduce((most, one) => (one.count > most.count ? one : most)).sign;
}

type Found = { cells: string[]; next: number } | 'broken';

/** The row that begins at `start`, or undefined when more text is needed. `ended`: there is no more text. */
function rowAt(text: string, start: number, delimiter: string, ended: boolean): Found | undefined {
  const cells: string[] = [];
  for (let at = start; ; ) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, delimiter);
    const end = cell && text[cell.end];
    const isLong = (cell?.end ?? text.length) - start > MAX_ROW_LENGTH;
    if (isLong || (ended && !cell) || (end !== undefined && end !== delimiter && end !== '\n' && end !== '\r')) return 'broken';
    if (!cell || (end === undefined && !ended)) return undefined;
    cells.push(cell.value);
    if (end !== delimiter) {
      const next = lineAfter(text, cell.end, ended);
      return next === undefined ? undefined : { cells, next };
    }
    at = cell.end + 1;
  }
}

type Cell = { value: string; end: number };

function plainCell(text: string, start: number, delimiter: string): Cell {
  let end = start;
  for (; end < text.length; end++) {
    const sign = text[end];
    if (sign === delimiter || sign === '\n' || sign === '\r') break;
  }
  return { value: text.slice(start, end), end };
}

/** Undefined when the text has no closing quote. Of a cell that is too long only the beginning is read. */
function quotedCell(text: string, start: number): Cell | undefined {
  let value = '';
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return undefined;
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"' || quote - start > MAX_ROW_LENGTH) return { value, end: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}

/** Where the next line begins, or undefined when the line, or its line break, may continue in the next chunk. */
function lineAfter(text: string, start: number, ended: boolean): number | undefined {
  const { end } = plainCell(text, start, '\n');
  const next = end + (text[end] === '\r' && text[end + 1] === '\n' ? 2 : 1);
  const isWhole = end < text.length && (text[end] !== '\r' || end + 1 < text.length);
  return isWhole || ended ? next : undefined;
}
