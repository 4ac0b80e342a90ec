// The types and kinds of files, and the storage quotas of plans.
import { withExtension } from '@clinic/lib/formats/file-name.ts';
import { type Plan, STORAGE_BYTES } from '@clinic/lib/formats/plans.ts';

export const FILE_KINDS = ['xray', 'photo', 'document', 'other'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export type ContentType = 'image/jpeg' | 'image/png' | 'image/webp' | 'application/pdf' | 'application/dicom';

/** The number of bytes at the beginning of a content that typeOf() needs. */
const TYPE_BYTES = 132;

/** The type of a content by its first bytes. Undefined when it is not one of the types that can be stored. */
export function typeOf(start: Uint8Array): ContentType | undefined {
  const text = Buffer.from(start.subarray(0, TYPE_BYTES)).toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  if (text.startsWith('%PDF-')) return 'application/pdf';
  return text.slice(128) === 'DICM' ? 'application/dicom' : undefined;
}

export const isImage = (type: ContentType) => type.startsWith('image/');

/** The kind of a file for which the client named none. */
export const kindOf = (type: ContentType): FileKind => (type === 'application/dicom' ? 'xray' : isImage(type) ? 'photo' : 'document');

/** The bytes that the files of a clinic on this plan may occupy. */
export const quotaOf = (plan: string): number => STORAGE_BYTES[plan as Plan] ?? STORAGE_BYTES.basic;

const MAX_NAME = 200;

/** A file name without folders and control characters. A name that is too long is cut before its extension. Empty when nothing is left. */
export function cleanName(name: string): string {
  const base = name
    .normalize('NFC')
    .replaceAll(/^.*[/\\]/g, '')
    .replaceAll(/\p{C}/gu, '')
    .trim();
  if (base.length <= MAX_NAME) return base;
  const extension = /\.\w{1,8}$/.exec(base)?.[0] ?? '';
  return base.slice(0, MAX_NAME - extension.length).toWellFormed() + extension;
}

/** The extensions of each type; the first is added to the name of a file that has none of them. */
const EXTENSIONS: Record<ContentType, [string, ...string[]]> = {
  'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif'],
  'image/png': ['png'],
  'image/webp': ['webp'],
  'application/pdf': ['pdf'],
  'application/dicom': ['dcm', 'dicom', 'dic'],
};

/** The name for a download. */
export const downloadName = (name: string, type: ContentType): string => withExtension(name, EXTENSIONS[type]);
