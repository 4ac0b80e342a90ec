// Names of people where others may read them: on phones and in calendars.

/** Text on one line: control characters, which include line breaks, become blanks. */
export const toSingleLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/** The first name: `Ana` of `Ana García`, of `García, Ana` and of `Ana García, hija`. */
export function firstName(name: string): string {
  const [before = '', after = ''] = toSingleLine(name).split(/\s*,\s*/);
  return (/^\p{Lu}/u.test(after) ? after : before).split(/\s+/)[0] || 'Paciente';
}
