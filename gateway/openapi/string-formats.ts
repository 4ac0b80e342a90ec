// Derives the JSON Schema of a string field from its comment. A comment that begins with `a, b or c` names all values; `Always a` names the
// only one; `UUID`, `YYYY-MM-DD`, `E-mail address` and the like name a format.

import { COLOR } from '@clinic/lib/formats/color.ts';

type Schema = { [keyword: string]: unknown };

const WORD = '(?:[a-z0-9_]+|[A-Z_]+|[a-z]+/[a-z]+)';
const VALUES = new RegExp(`^(${WORD}(?:, ${WORD})*,? or ${WORD})(?=[.,;:]|$)`);
const ONLY_VALUE = /^Always (\w+)\./;

const FORMATS: [RegExp, Schema][] = [
  [/^UUIDs?\b/, { format: 'uuid' }],
  [/(?:^|, )YYYY-MM-DD(?=[ .,]|$)/, { format: 'date' }],
  [/(?:^|, )YYYY-MM(?=[ .,]|$)/, { pattern: '^\\d{4}-\\d{2}$' }],
  [/(?:^|, )HH:MM:SS\b/, { pattern: '^\\d{2}:\\d{2}:\\d{2}$' }],
  [/(?:^|, )HH:MM\b/, { pattern: '^\\d{2}:\\d{2}$' }],
  [/(?:^|, )#RRGGBB\b/, { pattern: COLOR.source }],
  [/^E-mail address\b/, { format: 'email' }],
  [/^(?:URL|Path)\b/, { format: 'uri-reference' }],
];

export function stringSchema(comment: string): Schema {
  const values = valuesIn(comment);
  if (values) return { type: 'string', enum: values };
  // A field that may be empty has no format, because '' would violate it.
  const format = /\bempty\b/i.test(comment) ? undefined : FORMATS.find(([pattern]) => pattern.test(comment))?.[1];
  return { type: 'string', ...format };
}

/** All values of a field, if its comment begins with them. `null` is left out: the field is nullable anyway. */
function valuesIn(comment: string): string[] | undefined {
  const only = ONLY_VALUE.exec(comment)?.[1];
  if (only) return [only];
  const [, list = ''] = VALUES.exec(comment) ?? [];
  const values = list.split(/, or | or |, /).filter((value) => value !== 'null');
  if (values.length < 2) return undefined;
  return /\bempty\b/i.test(comment) ? [...values, ''] : values;
}
