// Uploaded pictures are decoded and encoded again, which removes everything except the pixels, for example metadata.
import { createLane } from '../background/lane.ts';
import { fail, invalid } from '../errors/errors.ts';
import { MAX_PICTURE_BYTES, PICTURE_TYPES } from './picture-limits.ts';

export type Picture = { content: Buffer; contentType: string };

// 40 megapixels still fit into 2 MiB. A larger picture would take too much memory when it is decoded.
const MAX_PIXELS = 40_000_000;
const LONGEST_SIDE = 512;
const SECONDS = 5;

/** Limits memory: a decoded picture may take 160 MB. */
const lane = createLane({ concurrent: 2, waiting: 16 });

/**
 * Returns the picture upright, at most 512 pixels wide and high, without metadata. PNG is for pictures that go into a PDF. Throws
 * UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, UNAVAILABLE when too many pictures wait or decoding takes too long, or VALIDATION_ERROR when the
 * content is not a picture of `contentType`.
 */
export async function reencodePicture(content: Uint8Array, contentType: string, as: 'webp' | 'png' = 'webp'): Promise<Picture> {
  const format = PICTURE_TYPES.find((type) => type === contentType)?.slice('image/'.length);
  if (!format) fail('UNSUPPORTED_MEDIA_TYPE', `Send one of ${PICTURE_TYPES.join(', ')}`);
  if (content.length > MAX_PICTURE_BYTES) fail('PAYLOAD_TOO_LARGE');
  // Checked before decoding, so that no decoder for another format runs.
  if (formatOf(content) !== format) invalid('body', `must be ${contentType}`);
  return {
    content: (await render(content, as, SECONDS)) ?? invalid('body', `cannot be decoded, or has more than ${MAX_PIXELS / 1e6} million pixels`),
    contentType: `image/${as}`,
  };
}

const THUMBNAIL_SECONDS = 30;

/**
 * Returns a PNG, JPEG or WebP of any number of bytes as a WebP like that of reencodePicture(); undefined when it cannot be decoded or has too many
 * pixels. Throws UNAVAILABLE when too many pictures wait or decoding takes too long.
 */
export async function makeThumbnail(content: Uint8Array): Promise<Buffer | undefined> {
  return formatOf(content) ? render(content, 'webp', THUMBNAIL_SECONDS) : undefined;
}

/** Loaded when the first picture is decoded, since it takes 24 MB. */
async function loadSharp() {
  const { default: sharp } = await import('sharp');
  // No cache, because no picture is decoded twice; one thread, so that a picture does not occupy all cores.
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

/** Undefined when the content cannot be decoded. Throws UNAVAILABLE when too many pictures wait or decoding takes too long. */
async function render(content: Uint8Array, as: 'webp' | 'png', seconds: number): Promise<Buffer | undefined> {
  const sharp = await loadSharp();
  const leave = await lane();
  try {
    const resized = sharp(content, { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 })
      .timeout({ seconds })
      .autoOrient()
      .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true });
    return await (as === 'webp' ? resized.webp({ quality: 85 }) : resized.png({ compressionLevel: 9 })).toBuffer();
  } catch (error) {
    return /^timeout:/m.test((error as Error).message) ? fail('UNAVAILABLE', 'Decoding the picture took too long: retry in a moment') : undefined;
  } finally {
    leave();
  }
}

function formatOf(content: Uint8Array): string | undefined {
  const text = Buffer.from(content.subarray(0, 12)).toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  return text.startsWith('RIFF') && text.slice(8) === 'WEBP' ? 'webp' : undefined;
}
