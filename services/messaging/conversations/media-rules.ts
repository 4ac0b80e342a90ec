// The types of files from patients that are shown, or offered as a download. Others are refused, since browsers would execute some of them.

const MB = 1024 * 1024;
/** Limits of the provider. */
const MAX_IMAGE = 5 * MB;
const MAX_RECORDING = 16 * MB;
const MAX_DOCUMENT = 100 * MB;

const INLINE: Record<string, number> = {
  'image/jpeg': MAX_IMAGE,
  'image/png': MAX_IMAGE,
  'image/webp': MAX_IMAGE,
  'audio/ogg': MAX_RECORDING,
  'audio/mpeg': MAX_RECORDING,
  'audio/mp4': MAX_RECORDING,
  'audio/aac': MAX_RECORDING,
  'audio/amr': MAX_RECORDING,
  'video/mp4': MAX_RECORDING,
  'video/3gpp': MAX_RECORDING,
  'application/pdf': MAX_DOCUMENT,
};
const DOWNLOADS: Record<string, number> = {
  'text/plain': MAX_DOCUMENT,
  'application/msword': MAX_DOCUMENT,
  'application/vnd.ms-excel': MAX_DOCUMENT,
  'application/vnd.ms-powerpoint': MAX_DOCUMENT,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': MAX_DOCUMENT,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': MAX_DOCUMENT,
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': MAX_DOCUMENT,
};

/** The type without parameters, whether the file is only offered as a download, and its limit in bytes. Undefined for other types. */
export function findMediaRule(mimeType: string): { type: string; download: boolean; maxBytes: number } | undefined {
  const type = mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
  const inline = Object.hasOwn(INLINE, type) ? INLINE[type] : undefined;
  const maxBytes = inline ?? (Object.hasOwn(DOWNLOADS, type) ? DOWNLOADS[type] : undefined);
  return maxBytes === undefined ? undefined : { type, download: inline === undefined, maxBytes };
}

const SIGNATURES: Record<string, (bytes: Uint8Array) => boolean> = {
  'image/jpeg': (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8,
  'image/png': (bytes) => Buffer.from(bytes.subarray(0, 4)).toString('latin1') === '\x89PNG',
  'image/webp': (bytes) => Buffer.from(bytes.subarray(8, 12)).toString('latin1') === 'WEBP',
  'application/pdf': (bytes) => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-',
};

/** Whether the bytes begin with the signature of the type; true for types without one. */
export const hasSignature = (type: string, bytes: Uint8Array) => SIGNATURES[type]?.(bytes) ?? true;
