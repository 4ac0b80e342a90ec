// Pictures that people upload are never served as they came: each is decoded and drawn anew, so that neither its metadata
// nor anything hidden beside its pixels gets out again.

import sharp from 'sharp';
import { fail, invalid } from '../errors/errors.ts';
import { MAX_PICTURE_BYTES, PICTURE_TYPES } from './picture-limits.ts';

export type Picture = { content: Buffer; contentType: string };

// A photo of 40 megapixels fits 2 MiB; more comes from no camera and would fill the memory when unpacked.
const MAX_PIXELS = 40_000_000;
const LONGEST_SIDE = 512;
const SECONDS = 5;

// What is decoded does not come again, and one picture must not take all cores.
sharp.cache(false);
sharp.concurrency(1);

/**
 * The picture, upright, at most 512 pixels wide and high, without metadata. PNG where other programs must read it, for
 * example a PDF. Throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, or VALIDATION_ERROR for what is no such picture.
 */
export async function reencodePicture(content: Uint8Array, contentType: string, as: 'webp' | 'png' = 'webp'): Promise<Picture> {
  const format = PICTURE_TYPES.find((type) => type === contentType)?.slice('image/'.length);
  if (!format) fail('UNSUPPORTED_MEDIA_TYPE', `Send one of ${PICTURE_TYPES.join(', ')}`);
  if (content.length > MAX_PICTURE_BYTES) fail('PAYLOAD_TOO_LARGE');
  // The first bytes decide, before any decoder sees the rest: what is called a picture and is something else stays outside.
  if (formatOf(content) !== format) invalid('body', `is no ${contentType}`);
  try {
    const drawn = sharp(content, { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 })
      .timeout({ seconds: SECONDS })
      .autoOrient()
      .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true });
    return { content: await (as === 'webp' ? drawn.webp({ quality: 85 }) : drawn.png({ compressionLevel: 9 })).toBuffer(), contentType: `image/${as}` };
  } catch {
    // The library's message speaks of its inside.
    return invalid('body', 'is a picture that cannot be read, or has more than 40 million pixels');
  }
}

function formatOf(content: Uint8Array): string | undefined {
  const text = Buffer.from(content.subarray(0, 12)).toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  return text.startsWith('RIFF') && text.slice(8) === 'WEBP' ? 'webp' : undefined;
}
