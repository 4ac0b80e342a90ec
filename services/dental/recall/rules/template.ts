// Message templates with variables in braces.
import { fail } from '@clinic/lib/errors/errors.ts';

export const VARIABLES = ['nombre', 'clinica', 'procedimiento', 'ultima_visita'] as const;
export type Values = Record<(typeof VARIABLES)[number], string>;

const VARIABLE = new RegExp(`\\{(${VARIABLES.join('|')})\\}`, 'g');

/** The first brace, with the variable it opens, that belongs to no known variable: it would be sent literally. */
export const unknownVariable = (text: string): string | undefined => /\{[^{}]*\}|[{}]/.exec(text.replaceAll(VARIABLE, ''))?.[0];

/** Throws INVALID_TEMPLATE_VARS when the text contains an unknown variable. */
export function checkTemplate(text: string): void {
  const unknown = unknownVariable(text);
  if (unknown) fail('INVALID_TEMPLATE_VARS', undefined, [{ path: 'message_template', message: `contains ${unknown}, which is not a variable` }]);
}

/** Replaces the variables. Braces inside a value are not replaced again. */
export const render = (template: string, values: Values): string => template.replaceAll(VARIABLE, (_, name: keyof Values) => values[name]);
