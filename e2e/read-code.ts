// Reads the link in the picture of a QR code.
import jsqr from 'jsqr';
import sharp from 'sharp';

export async function linkIn(picture: ArrayBuffer): Promise<string> {
  const { data, info } = await sharp(Buffer.from(picture)).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return jsqr.default(new Uint8ClampedArray(data), info.width, info.height)?.data ?? '';
}
