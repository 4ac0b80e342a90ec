// What the text of a patient search means.
import { normalizeDui } from '@clinic/lib/formats/dui.ts';
import { phoneDigits } from '@clinic/lib/formats/phone.ts';
import { namePatterns } from '@clinic/lib/formats/search-name.ts';

/** Patterns are for LIKE. `none` finds nobody. */
export type PatientSearch =
  | { kind: 'all' }
  | { kind: 'none' }
  | { kind: 'name'; patterns: [string, ...string[]] }
  | { kind: 'phone'; pattern: string }
  | { kind: 'dui'; dui: string; pattern: string };

/** Nine digits are a DUI or part of a phone; other digits, and digits with a plus, are part of a phone; anything else are beginnings of words of a name. */
export function parsePatientSearch(text: string): PatientSearch {
  const typed = text.trim();
  if (typed === '') return { kind: 'all' };
  const [digits, dui] = [phoneDigits(typed), normalizeDui(typed)];
  if (digits && dui) return { kind: 'dui', dui, pattern: `%${digits}%` };
  if (digits) return { kind: 'phone', pattern: `%${digits}%` };
  const [longest, ...others] = namePatterns(typed);
  return longest ? { kind: 'name', patterns: [longest, ...others] } : { kind: 'none' };
}
