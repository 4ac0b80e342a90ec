// A drawn signature, as a browser's canvas exports it: a PNG that is checked in full, because a broken or huge image would crash the
// process that prints it.
import { inflateSync } from 'node:zlib';

export const MAX_SIGNATURE_CHARACTERS = 200_000;
const PREFIX = 'data:image/png;base64,';
const MAGIC = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_SIDE_PIXELS = 2_000;
/** Samples per pixel by colour type: grey, RGB, grey with alpha, RGB with alpha. */
const SAMPLES: Record<number, number> = { 0: 1, 2: 3, 4: 2, 6: 4 };

/** The bytes of the image; undefined unless the text is a data URL of a PNG with 8 bits per sample, not interlaced, up to 2000 × 2000, on which something is drawn. */
export function signaturePng(text: string): Buffer | undefined {
  if (!text.startsWith(PREFIX) || text.length > MAX_SIGNATURE_CHARACTERS) return undefined;
  const encoded = text.slice(PREFIX.length);
  const png = Buffer.from(encoded, 'base64');
  if (png.toString('base64') !== encoded) return undefined;
  return isDrawable(png) ? png : undefined;
}

function isDrawable(png: Buffer): boolean {
  const chunks = readChunks(png);
  const header = chunks?.[0];
  if (!chunks || header?.type !== 'IHDR' || header.data.length !== 13 || chunks.at(-1)?.type !== 'IEND') return false;
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  const [depth, colour, compression, filter, interlace] = header.data.subarray(8);
  const samples = SAMPLES[colour ?? -1];
  if (depth !== 8 || samples === undefined || compression !== 0 || filter !== 0 || interlace !== 0) return false;
  if (width < 1 || height < 1 || width > MAX_SIDE_PIXELS || height > MAX_SIDE_PIXELS) return false;
  const expected = height * (1 + width * samples);
  const compressed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  try {
    const rows = inflateSync(compressed, { maxOutputLength: expected + 1 });
    if (rows.length !== expected) return false;
    const length = 1 + width * samples;
    const lines = Array.from({ length: height }, (_, y) => rows.subarray(y * length, (y + 1) * length));
    return lines.every(([filter = 5]) => filter <= 4) && lines.some((line) => isDrawnOn(line, samples));
  } catch {
    return false;
  }
}

/** False for a line of one colour: with each filter, its pixels from the second on have the same bytes. */
function isDrawnOn(line: Buffer, samples: number): boolean {
  const second = 1 + samples;
  return !line.subarray(second + samples).equals(line.subarray(second, Math.max(second, line.length - samples)));
}

type Chunk = { type: string; data: Buffer };

/** Undefined when the chunks do not fill the file exactly, or when there is a palette or transparency chunk. */
function readChunks(png: Buffer): Chunk[] | undefined {
  if (!png.subarray(0, 8).equals(MAGIC)) return undefined;
  const chunks: Chunk[] = [];
  let at = 8;
  while (at + 12 <= png.length) {
    const end = at + 12 + png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    if (end > png.length || type === 'PLTE' || type === 'tRNS') return undefined;
    chunks.push({ type, data: png.subarray(at + 8, end - 4) });
    at = end;
  }
  return at === png.length ? chunks : undefined;
}
