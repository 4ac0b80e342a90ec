// Names of patients where others may read them: on phones and in calendars.

/** Text on one line: control characters, which include line breaks, become blanks. */
export const toSingleLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/** The first word of a name. */
export const firstName = (name: string) => toSingleLine(name).split(/\s+/)[0] || 'Paciente';
