// What somebody who types into the search field is looking for.
import { type Dui, parseDui } from './dui.ts';
import { searchName } from './name.ts';

export type Wanted = { kind: 'all' } | { kind: 'dui'; dui: Dui; pattern: string } | { kind: 'phone'; pattern: string } | { kind: 'name'; pattern: string };

/** Nine digits are a DUI or a part of a phone, other digits a part of a phone, the rest the beginning of any word of a name. */
export function wantedBy(text: string): Wanted {
  const typed = text.trim();
  if (typed === '') return { kind: 'all' };
  const digits = typed.replace(/[\s()+.-]/g, '');
  const dui = parseDui(typed);
  if (dui) return { kind: 'dui', dui, pattern: `%${digits}%` };
  if (/^\d+$/.test(digits)) return { kind: 'phone', pattern: `%${digits}%` };
  return { kind: 'name', pattern: `%${searchName(typed)}%` };
}
