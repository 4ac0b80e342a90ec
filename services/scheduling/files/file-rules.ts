// What files may be: their types, kinds and sizes, and how much of them a plan includes.
import { type Plan, STORAGE_BYTES } from '@clinic/lib/formats/plans.ts';

export const MAX_FILE_BYTES = 25 * 1024 * 1024;

export const FILE_KINDS = ['xray', 'photo', 'document', 'other'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export type ContentType = 'image/jpeg' | 'image/png' | 'image/webp' | 'application/pdf' | 'application/dicom';

/** The bytes at the beginning of a content that typeOf() needs. */
export const TYPE_BYTES = 132;

/** The type of a content by its first bytes. Undefined: none of those that may be stored. */
export function typeOf(start: Uint8Array): ContentType | undefined {
  const text = Buffer.from(start.subarray(0, TYPE_BYTES)).toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  if (text.startsWith('%PDF-')) return 'application/pdf';
  return text.slice(128) === 'DICM' ? 'application/dicom' : undefined;
}

export const isImage = (type: ContentType) => type.startsWith('image/');

/** For a file of which the client has not said it. */
export const kindOf = (type: ContentType): FileKind => (type === 'application/dicom' ? 'xray' : isImage(type) ? 'photo' : 'document');

/** The bytes that the files of a clinic may have. */
export const quotaOf = (plan: string): number => STORAGE_BYTES[plan as Plan] ?? STORAGE_BYTES.basic;

const MAX_NAME = 200;

/** A file name without folders and control characters, with its extension when it is too long. Empty when nothing is left. */
export function cleanName(given: string): string {
  const base = given
    .normalize('NFC')
    .replaceAll(/^.*[/\\]/g, '')
    .replaceAll(/\p{C}/gu, '')
    .trim();
  if (base.length <= MAX_NAME) return base;
  const extension = /\.\w{1,8}$/.exec(base)?.[0] ?? '';
  return base.slice(0, MAX_NAME - extension.length).toWellFormed() + extension;
}
