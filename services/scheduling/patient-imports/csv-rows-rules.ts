// A streaming CSV parser (RFC 4180, with the delimiters comma, semicolon and tab). Known libraries lose the rest of a file after a quote
// that is never closed; here only the row is lost.

/** The cells of a row, or undefined when its quotes do not match. */
type CsvRow = string[] | undefined;

const MAX_ROW_LENGTH = 32_768;

/** Rows of the text, including empty ones. */
export async function* parseRows(chunks: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRow> {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    let at = 0;
    for (let row = rowAt(text, at, delimiter, false); row; row = rowAt(text, at, delimiter, false)) {
      yield row.cells;
      at = row.next;
    }
    text = text.slice(at);
  }
  for (let at = 0; at < text.length; ) {
    const row = rowAt(text, at, delimiter, true);
    if (!row) return;
    yield row.cells;
    at = row.next;
  }
}

/** The delimiter of a header line. */
export function delimiterOf(line: string): string {
  const counted = [',', ';', '\t'].map((sign) => ({ sign, count: line.split(sign).length }));
  return counted.reduce((most, one) => (one.count > most.count ? one : most)).sign;
}

type Found = { cells: CsvRow; next: number };

/** The row that begins at `start`, or undefined when more text is needed. `ended`: there is no more text. */
function rowAt(text: string, start: number, delimiter: string, ended: boolean): Found | undefined {
  const cells: string[] = [];
  for (let at = start; ; ) {
    const cell = text[at] === '"' ? quotedCell(text, at, ended) : plainCell(text, at, delimiter);
    if (cell === 'broken' || (cell === undefined && text.length - start > MAX_ROW_LENGTH)) return brokenRow(text, start);
    if (cell === undefined) return ended ? brokenRow(text, start) : undefined;
    const end = text[cell.end];
    if (end === undefined && !ended) return text.length - start > MAX_ROW_LENGTH ? brokenRow(text, start) : undefined;
    if (end !== undefined && end !== delimiter && end !== '\n' && end !== '\r') return brokenRow(text, start);
    cells.push(cell.value);
    if (end === delimiter) {
      at = cell.end + 1;
      continue;
    }
    if (end === '\r' && text[cell.end + 1] === undefined && !ended) return undefined; // a line feed may follow
    return { cells, next: cell.end + (end === '\r' && text[cell.end + 1] === '\n' ? 2 : 1) };
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

/** Undefined when more text is needed to find the closing quote. */
function quotedCell(text: string, start: number, ended: boolean): Cell | 'broken' | undefined {
  let value = '';
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return ended ? 'broken' : undefined;
    if (quote - start > MAX_ROW_LENGTH) return 'broken';
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}

/** Skips to the next line. */
function brokenRow(text: string, start: number): Found {
  const { end } = plainCell(text, start, '\n');
  return { cells: undefined, next: text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1 };
}
