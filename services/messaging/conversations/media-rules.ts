// Which files of patients are shown. The rest may be anything, and a browser would run some of it.

const MB = 1024 * 1024;
/** What the provider lets patients send. */
const PICTURE = 5 * MB;
const RECORDING = 16 * MB;
const DOCUMENT = 100 * MB;

const INLINE: Record<string, number> = {
  'image/jpeg': PICTURE,
  'image/png': PICTURE,
  'image/webp': PICTURE,
  'audio/ogg': RECORDING,
  'audio/mpeg': RECORDING,
  'audio/mp4': RECORDING,
  'audio/aac': RECORDING,
  'audio/amr': RECORDING,
  'video/mp4': RECORDING,
  'video/3gpp': RECORDING,
  'application/pdf': DOCUMENT,
};
const DOWNLOADS: Record<string, number> = {
  'text/plain': DOCUMENT,
  'application/msword': DOCUMENT,
  'application/vnd.ms-excel': DOCUMENT,
  'application/vnd.ms-powerpoint': DOCUMENT,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': DOCUMENT,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': DOCUMENT,
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': DOCUMENT,
};

/** The bare type when it may be shown, whether only as a download, and how many bytes at most. */
export function shownAs(mimeType: string): { type: string; download: boolean; maxBytes: number } | undefined {
  const type = mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
  const inline = Object.hasOwn(INLINE, type) ? INLINE[type] : undefined;
  const maxBytes = inline ?? (Object.hasOwn(DOWNLOADS, type) ? DOWNLOADS[type] : undefined);
  return maxBytes === undefined ? undefined : { type, download: inline === undefined, maxBytes };
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
