import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, jest, test } from '@jest/globals';
import sharp from 'sharp';
import { makeThumbnail, reencodePicture } from './image.ts';
import { MAX_PICTURE_BYTES } from './picture-limits.ts';

const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#336699' } });
const refused = (path: string) => ({ reason: 'VALIDATION_ERROR', details: [{ path }] });

describe('a picture', () => {
  test.each(['png', 'jpeg', 'webp'] as const)('%s becomes webp of at most 512 pixels', async (format) => {
    const { content, contentType } = await reencodePicture(await plain(2000, 1000).toFormat(format).toBuffer(), `image/${format}`);
    expect(contentType).toBe('image/webp');
    expect(await sharp(content).metadata()).toMatchObject({ format: 'webp', width: 512, height: 256 });
  });

  test('that is small is not enlarged, and becomes PNG on request', async () => {
    const { content, contentType } = await reencodePicture(await plain(20, 10).png().toBuffer(), 'image/png', 'png');
    expect(contentType).toBe('image/png');
    expect(await sharp(content).metadata()).toMatchObject({ format: 'png', width: 20, height: 10 });
  });

  test('is turned upright and has no metadata', async () => {
    const taken = plain(40, 20)
      .withMetadata({ orientation: 6 })
      .withExif({ IFD0: { Artist: 'Secret Artist' }, IFD3: { GPSLatitude: '13/1 41/1 0/1' } });
    const photo = await taken.jpeg().toBuffer();
    expect(photo.includes('Secret Artist')).toBe(true);
    const { content } = await reencodePicture(photo, 'image/jpeg');
    const metadata = await sharp(content).metadata();
    expect(metadata).toMatchObject({ width: 20, height: 40 });
    expect([metadata.exif, metadata.icc, metadata.xmp]).toEqual([undefined, undefined, undefined]);
    expect(content.includes('Secret')).toBe(false);
  });

  test('waits while others are processed, and is refused when too many wait', async () => {
    const small = await plain(20, 10).png().toBuffer();
    const settled = await Promise.allSettled(Array.from({ length: 20 }, () => reencodePicture(small, 'image/png')));
    const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(reasons).toEqual(Array(2).fill(expect.objectContaining({ reason: 'UNAVAILABLE', details: [{ path: 'retry_after', message: '5' }] })));
  });

  test('whose decoding takes too long may be sent again later: it is not a picture that cannot be decoded', async () => {
    const png = await plain(20, 10).png().toBuffer();
    // What sharp throws when its timeout() is over. No picture within the limits takes that long on every computer.
    const slow = jest.spyOn(sharp.prototype, 'toBuffer').mockRejectedValue(new Error('timeout: 12% complete\nVipsImage: killed for image "temp-218"'));
    try {
      await expect(makeThumbnail(png)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
      await expect(reencodePicture(png, 'image/png')).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    } finally {
      slow.mockRestore();
    }
  });

  test('has no bytes after its end', async () => {
    const hiding = Buffer.concat([await plain(30, 30).png().toBuffer(), Buffer.from('<script>alert(1)</script>PK\x03\x04')]);
    const { content } = await reencodePicture(hiding, 'image/png');
    expect(content.includes('script')).toBe(false);
  });
});

describe('rejected', () => {
  test.each(['image/svg+xml', 'image/gif', 'text/html', 'application/json', ''])('type %j', async (type) => {
    await expect(reencodePicture(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), type)).rejects.toMatchObject({ reason: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  test('content of another type than declared', async () => {
    const png = await plain(10, 10).png().toBuffer();
    const gif = await plain(10, 10).gif().toBuffer();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>');
    for (const [content, type] of [
      [png, 'image/jpeg'],
      [gif, 'image/png'],
      [svg, 'image/png'],
      [Buffer.from('GIF89a/*<script>*/'), 'image/webp'],
      [Buffer.alloc(0), 'image/png'],
    ] as const) {
      await expect(reencodePicture(content, type)).rejects.toMatchObject(refused('body'));
    }
  });

  test('a truncated or corrupted picture', async () => {
    const png = await plain(300, 300).png({ compressionLevel: 0 }).toBuffer();
    await expect(reencodePicture(png.subarray(0, png.length / 2), 'image/png')).rejects.toMatchObject(refused('body'));
    await expect(reencodePicture(Buffer.concat([png.subarray(0, 8), Buffer.alloc(500, 7)]), 'image/png')).rejects.toMatchObject(refused('body'));
  });

  test('a decompression bomb: 10 kilobytes with 64 megapixels', async () => {
    await expect(reencodePicture(bomb(8_000, 8_000), 'image/png')).rejects.toMatchObject(refused('body'));
  });

  test('more than 2 MiB', async () => {
    await expect(reencodePicture(Buffer.alloc(MAX_PICTURE_BYTES + 1), 'image/png')).rejects.toMatchObject({ reason: 'PAYLOAD_TOO_LARGE' });
  });
});

/** A valid PNG with one bit per pixel and black pixels only. */
function bomb(width: number, height: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  const header = Buffer.concat([size, Buffer.from([1, 0, 0, 0, 0])]);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))))),
    chunk('IEND'),
  ]);
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const out = Buffer.alloc(8);
  out.writeUInt32BE(data.length, 0);
  out.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([out.subarray(0, 4), body, out.subarray(4)]);
}
