// Messages with variables in braces.

export const VARIABLES = ['nombre', 'clinica', 'procedimiento', 'ultima_visita'] as const;
export type Values = Record<(typeof VARIABLES)[number], string>;

const VARIABLE = new RegExp(`\\{(${VARIABLES.join('|')})\\}`, 'g');

/** Whether every brace belongs to a variable that there is: one that is misspelt would be sent as it stands. */
export function isTemplate(text: string): boolean {
  return !/[{}]/.test(text.replaceAll(VARIABLE, ''));
}

/** The text with the values in place. What a value contains is never read as a variable. */
export function render(template: string, values: Values): string {
  return template.replaceAll(VARIABLE, (_, name: keyof Values) => values[name]);
}
