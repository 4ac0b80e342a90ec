// Finds the fields of a JSON body that its schema does not have, at any depth.
import { z } from 'zod';

export type UnknownField = { path: string; known: string[] };

/** Each field once, however many elements of a list have it, and with the fields that its object may have. */
export function unknownFields(schema: z.ZodType, body: unknown, most: number): UnknownField[] {
  const found = new Map<string, UnknownField>();
  for (const field of search(schema, body, '')) {
    const name = field.path.replaceAll(/\.\d+(?=\.)/g, '');
    if (!found.has(name)) found.set(name, field);
    if (found.size === most) break;
  }
  return [...found.values()];
}

function* search(schema: unknown, value: unknown, path: string): Generator<UnknownField> {
  if (typeof value !== 'object' || value === null) return;
  if (schema instanceof z.ZodUnion) for (const option of schema.options) yield* search(option, value, path);
  else if (schema instanceof z.ZodPipe) yield* search(schema.in, value, path);
  else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) yield* search(schema.unwrap(), value, path);
  else if (schema instanceof z.ZodArray && Array.isArray(value))
    for (const [index, element] of value.entries()) yield* search(schema.element, element, `${path}${index}.`);
  else if (schema instanceof z.ZodObject && !Array.isArray(value)) {
    const known = Object.keys(schema.shape);
    for (const [name, member] of Object.entries(value)) {
      if (known.includes(name)) yield* search(schema.shape[name], member, `${path}${name}.`);
      else yield { path: path + name, known };
    }
  }
}
