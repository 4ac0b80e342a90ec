// What the text of a patient search means.
import { normalizeDui } from '@clinic/lib/formats/dui.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';

/** `pattern` is for LIKE. */
export type PatientSearch = { kind: 'all' } | { kind: 'name' | 'phone'; pattern: string } | { kind: 'dui'; dui: string; pattern: string };

/** Nine digits are a DUI or part of a phone, other digits are part of a phone, anything else is the beginning of any word of a name. */
export function parsePatientSearch(text: string): PatientSearch {
  const typed = text.trim();
  if (typed === '') return { kind: 'all' };
  const digits = typed.replace(/[\s()+.-]/g, '');
  const dui = normalizeDui(typed);
  if (dui) return { kind: 'dui', dui, pattern: `%${digits}%` };
  if (/^\d+$/.test(digits)) return { kind: 'phone', pattern: `%${digits}%` };
  return { kind: 'name', pattern: `%${searchName(typed)}%` };
}
