// Normalizes cells of an import before they are parsed like any other input.

const MASKED_DUI = /^\*{6}\d\d-\d$/;

/** The trimmed cell, without the apostrophe that an export puts before formulas. A masked DUI becomes empty. */
export function cellText(cell: string): string {
  const text = cell
    .trim()
    .replace(/^'(?=[=+\-@\t\r])/, '')
    .trim();
  return MASKED_DUI.test(text) ? '' : text;
}

/** Dates written dd/mm/yyyy as YYYY-MM-DD; other text is returned as it is. */
export function isoDate(text: string): string {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text) ?? [];
  return year ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : text;
}

const GENDERS: Record<string, string> = {
  f: 'female',
  femenino: 'female',
  femenina: 'female',
  mujer: 'female',
  m: 'male',
  masculino: 'male',
  hombre: 'male',
  o: 'other',
  otro: 'other',
  otra: 'other',
};

/** `female`, `male` or `other` for the usual words; other text is returned in lower case. */
export function genderOf(text: string): string {
  const word = text.toLowerCase();
  return GENDERS[word] ?? word;
}
