// When a note is signed, who may change it, and what its hash covers.
import { createHash } from 'node:crypto';
import { fail } from '@clinic/lib/errors/errors.ts';
import { parseTooth as parseFdi } from '@clinic/lib/formats/teeth.ts';
import { parseText } from '@clinic/lib/formats/text.ts';

const MAX_NOTE = 20_000;
/** A draft becomes a signed note this long after it was written. */
export const DRAFT_MS = 24 * 3_600_000;

export const NOTE_STATUSES = ['draft', 'signed'] as const;
export type NoteStatus = (typeof NOTE_STATUSES)[number];

type Draft = { author_id: string; created_at: Date; signed_at: Date | null };

export const isSigned = ({ signed_at, created_at }: Omit<Draft, 'author_id'>, now: Date): boolean =>
  signed_at !== null || created_at.getTime() + DRAFT_MS <= now.getTime();

/** Throws FORBIDDEN for anyone but the author. */
export function requireAuthor(note: Draft, caller: { id: string }): void {
  if (caller.id !== note.author_id) fail('FORBIDDEN', 'Only the author of a clinical note can change, delete or sign it');
}

/** Throws FORBIDDEN for anyone but the author, and NOTE_SIGNED for a signed note. */
export function requireOwnDraft(note: Draft, caller: { id: string }, now: Date): void {
  requireAuthor(note, caller);
  if (isSigned(note, now)) fail('NOTE_SIGNED');
}

/** In composed form (Unicode NFC), as the search needs it. */
export const parseNote = (text: string): string => parseText('text', text.normalize('NFC'), MAX_NOTE);

export const parseTooth = (tooth: number): number => parseFdi('tooth', tooth);

export type SignedContent = {
  id: string;
  patient_id: string;
  appointment_id: string | null;
  tooth: number | null;
  amends: string | null;
  text: string;
  author_id: string;
  created_at: Date;
};

/** SHA-256 over the JSON array of the fields in this order. */
export function hashNote({ id, patient_id, appointment_id, tooth, amends, text, author_id, created_at }: SignedContent): Buffer {
  const content = [id, patient_id, appointment_id, tooth, amends, text, author_id, created_at.toISOString()];
  return createHash('sha256').update(JSON.stringify(content)).digest();
}
