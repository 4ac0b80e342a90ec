// Parts of sentences, in Spanish and English.
import { formatClockTime, type Language } from '@clinic/lib/formats/day-text.ts';

/** The text in the language. */
export const inLanguage = (language: Language, es: string, en: string) => (language === 'es' ? es : en);

/** The lines of a list, and how many of the `total` are not among them. */
export const listLines = (lines: string[], total: number, language: Language): string[] =>
  lines.length < total ? [...lines, inLanguage(language, `- y ${total - lines.length} más`, `- and ${total - lines.length} more`)] : lines;

/** `a la 1:00 p. m.`, `a las 9:30 a. m.` or `at 9:30 AM` of HH:MM or HH:MM:SS. */
export function atTime(time: string, language: Language): string {
  const text = formatClockTime(time, language);
  return language === 'en' ? `at ${text}` : `${text.startsWith('1:') ? 'a la' : 'a las'} ${text}`;
}

/** Adds a full stop unless the text already ends with one, as in `a. m.`. */
export const sentence = (text: string) => (text.endsWith('.') ? text : `${text}.`);

/** The names of statuses, in Spanish and English. */
export type StatusNames = Record<string, [es: string, en: string]>;
export const statusIn = (names: StatusNames, status: string, language: Language) => names[status]?.[language === 'es' ? 0 : 1] ?? status;

const SEVERITIES: Record<string, [es: string, en: string]> = { danger: ['peligro', 'danger'], warning: ['precaución', 'warning'], info: ['aviso', 'note'] };

/** Describes a medical alert, severity first. */
export function alertToText({ severity, text }: { severity: string; text: string }, language: Language): string {
  const [es, en] = SEVERITIES[severity] ?? [severity, severity];
  return `${inLanguage(language, `Alerta médica (${es})`, `Medical alert (${en})`)}: ${text}`;
}
