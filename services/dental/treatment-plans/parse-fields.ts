// Parses fields that several requests about treatment plans have in common.
import { parseCents } from '@clinic/lib/formats/money.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';

export const parseNotes = (notes: string | undefined) => parseOptionalText('notes', notes, 5000);

/** An amount in a change: 0 removes it. */
export const parseClearableCents = (path: string, cents: bigint) => (cents === 0n ? null : parseCents(path, cents));

/** Fields with free text about patients: the audit log records that they changed, but not their text. */
export const PERSONAL_FIELDS = ['title', 'notes', 'procedure', 'description', 'updated_at'];
