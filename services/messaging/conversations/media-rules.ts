// The types of files from patients that are shown, or offered as a download. Others are refused, since browsers would execute some of them.

const MB = 1024 * 1024;
/** Limits of the provider. */
const MAX_IMAGE = 5 * MB;
const MAX_RECORDING = 16 * MB;
const MAX_DOCUMENT = 100 * MB;

type Extensions = readonly [string, ...string[]];
type Rule = { maxBytes: number; extensions: Extensions; download?: true };

const image = (...extensions: Extensions): Rule => ({ maxBytes: MAX_IMAGE, extensions });
const recording = (...extensions: Extensions): Rule => ({ maxBytes: MAX_RECORDING, extensions });
const download = (...extensions: Extensions): Rule => ({ maxBytes: MAX_DOCUMENT, extensions, download: true });

const RULES: Record<string, Rule> = {
  'image/jpeg': image('jpg', 'jpeg', 'jpe', 'jfif'),
  'image/png': image('png'),
  'image/webp': image('webp'),
  'audio/ogg': recording('ogg', 'oga', 'opus'),
  'audio/mpeg': recording('mp3'),
  'audio/mp4': recording('m4a', 'mp4'),
  'audio/aac': recording('aac'),
  'audio/amr': recording('amr'),
  'video/mp4': recording('mp4', 'm4v'),
  'video/3gpp': recording('3gp'),
  'application/pdf': { maxBytes: MAX_DOCUMENT, extensions: ['pdf'] },
  'text/plain': download('txt'),
  'application/msword': download('doc'),
  'application/vnd.ms-excel': download('xls'),
  'application/vnd.ms-powerpoint': download('ppt'),
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': download('docx'),
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': download('xlsx'),
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': download('pptx'),
};

type MediaRule = { type: string; download: boolean; maxBytes: number; extensions: Extensions };

/** The type without parameters, whether the file is only offered as a download, its limit in bytes, and its extensions. Undefined for other types. */
export function findMediaRule(mimeType: string): MediaRule | undefined {
  const type = mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
  const rule = Object.hasOwn(RULES, type) ? RULES[type] : undefined;
  return rule && { download: false, ...rule, type };
}

const SIGNATURES: Record<string, (bytes: Uint8Array) => boolean> = {
  'image/jpeg': (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8,
  'image/png': (bytes) => Buffer.from(bytes.subarray(0, 4)).toString('latin1') === '\x89PNG',
  'image/webp': (bytes) => Buffer.from(bytes.subarray(8, 12)).toString('latin1') === 'WEBP',
  'application/pdf': (bytes) => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-',
};

/** Whether the bytes begin with the signature of the type; true for types without one. */
export const hasSignature = (type: string, bytes: Uint8Array) => SIGNATURES[type]?.(bytes) ?? true;
