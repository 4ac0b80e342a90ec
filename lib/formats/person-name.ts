// Names of people, of which others read the first, on phones and in calendars.
import { parseText } from './text.ts';

const MAX_NAME = 200;

/** Text on one line: control characters, which include line breaks, become blanks. */
export const toSingleLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/** A name of 1 to 200 characters, on one line, with one blank between words. */
export const parseName = (path: string, value: string): string => toSingleLine(parseText(path, value, MAX_NAME)).replaceAll(/\s+/g, ' ');

const TITLE = /^(?:dra?|lic|licda|ing|arq|sra?|srta|don|doña)\.?\s+/i;

/** The first name: `Ana` of `Ana García`, of `García, Ana`, of `Ana García, hija`, of `Lic. Ana García` and of `ANA GARCÍA`. */
export function firstName(name: string): string {
  const [before = '', after = ''] = toSingleLine(name).split(/\s*,\s*/);
  const [first = ''] = (/^\p{Lu}/u.test(after) ? after : before).replace(TITLE, '').split(/\s+/);
  const inCapitals = /^\p{Lu}{3,}$/u.test(first); // shorter ones may be initials
  return (inCapitals ? `${first.charAt(0)}${first.slice(1).toLowerCase()}` : first) || 'Paciente';
}
