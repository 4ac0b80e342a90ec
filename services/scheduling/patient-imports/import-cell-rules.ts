// What a cell of a patients' file says, before it is checked as any other input.

const MASKED_DUI = /^\*{6}\d\d-\d$/;

/** The cell without what an export put before it to keep spreadsheets from calculating; a masked DUI says nothing. */
export function cellText(cell: string): string {
  const text = cell
    .trim()
    .replace(/^'(?=[=+\-@\t\r])/, '')
    .trim();
  return MASKED_DUI.test(text) ? '' : text;
}

/** YYYY-MM-DD of what may be written dd/mm/yyyy; anything else stays as it is. */
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

/** female, male or other of the usual words; anything else stays as it is. */
export function genderOf(text: string): string {
  const word = text.toLowerCase();
  return GENDERS[word] ?? word;
}
