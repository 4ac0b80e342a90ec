// Message templates with variables in braces.

export const VARIABLES = ['nombre', 'clinica', 'procedimiento', 'ultima_visita'] as const;
export type Values = Record<(typeof VARIABLES)[number], string>;

const VARIABLE = new RegExp(`\\{(${VARIABLES.join('|')})\\}`, 'g');

/** Whether every brace belongs to a known variable: a misspelt one would be sent literally. */
export const isTemplate = (text: string): boolean => !/[{}]/.test(text.replaceAll(VARIABLE, ''));

/** Replaces the variables. Braces inside a value are not replaced again. */
export const render = (template: string, values: Values): string => template.replaceAll(VARIABLE, (_, name: keyof Values) => values[name]);
