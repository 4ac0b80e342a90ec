// Which files of patients are shown. The rest may be anything, and a browser would run some of it.

export const MAX_MEDIA_BYTES = 3 * 1024 * 1024;

const INLINE = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'audio/ogg',
  'audio/mpeg',
  'audio/mp4',
  'audio/aac',
  'audio/amr',
  'video/mp4',
  'video/3gpp',
  'application/pdf',
]);
const DOWNLOADS = new Set([
  'text/plain',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
]);

/** The bare type when it may be shown, and whether only as a download. */
export function shownAs(mimeType: string): { type: string; download: boolean } | undefined {
  const type = mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (INLINE.has(type)) return { type, download: false };
  return DOWNLOADS.has(type) ? { type, download: true } : undefined;
}

const STARTS: Record<string, (bytes: Uint8Array) => boolean> = {
  'image/jpeg': (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8,
  'image/png': (bytes) => Buffer.from(bytes.subarray(0, 4)).toString('latin1') === '\x89PNG',
  'image/webp': (bytes) => Buffer.from(bytes.subarray(8, 12)).toString('latin1') === 'WEBP',
  'application/pdf': (bytes) => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-',
};

/** Whether the bytes begin as files of the type do, where that is known. */
export function beginsAs(type: string, bytes: Uint8Array): boolean {
  return STARTS[type]?.(bytes) ?? true;
}
