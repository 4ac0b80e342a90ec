// Measures a stream while it is written or read.
import { createHash } from 'node:crypto';

/** `pass` counts and hashes a stream. Each line of COPY is one row, since line breaks in values are escaped. */
export function measuring(onRow: (rows: number) => void = () => {}) {
  const hash = createHash('sha256');
  let rows = 0;
  let bytes = 0;
  async function* pass(content: AsyncIterable<Uint8Array>) {
    for await (const chunk of content) {
      hash.update(chunk);
      bytes += chunk.length;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) onRow(++rows);
      yield chunk;
    }
  }
  return { pass, result: () => ({ rows, bytes, sha256: hash.digest('hex') }) };
}
