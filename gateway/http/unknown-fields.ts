// Finds fields of a body that its schema does not have, at any depth. On the routes of operators and with `Prefer: handling=strict` (RFC 7240)
// they are refused; otherwise they are ignored and named in a Warning header.
import type { Detail } from '@clinic/lib/errors/errors.ts';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Route } from './route.ts';

type UnknownField = { path: string; known: string[] };

const MAX_FIELDS = 10;

/** The first unknown fields, with the fields that their object may have. A field of list elements is reported once, for the first element. */
export function findUnknown(schema: z.ZodType, body: unknown): UnknownField[] {
  const found = new Map<string, UnknownField>();
  for (const field of search(schema, body, '')) {
    const name = field.path.replaceAll(/\.\d+(?=\.)/g, '');
    if (!found.has(name)) found.set(name, field);
    if (found.size === MAX_FIELDS) break;
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

const STRICT = /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:$|[,;])/i;

/** Adds the fields to `details`, or names them in the Warning header of the response. */
export function reportUnknown(fields: UnknownField[], { access }: Route, { headers }: Request, response: Response, details: Detail[]): void {
  if (access === 'superadmin' || STRICT.test(String(headers.prefer)))
    details.push(...fields.map(({ path, known }) => ({ path, message: `unknown field (known: ${known.join(', ') || 'none'})` })));
  else if (fields.length > 0) response.setHeader('Warning', fields.slice(0, MAX_FIELDS).map(toWarning));
}

/** Replaces characters other than printable ASCII. */
function toWarning({ path }: UnknownField): string {
  const name = path.slice(0, 100).replaceAll(/[^ -~]/gu, '?');
  return `299 - "unknown field ${name.replaceAll(/["\\]/g, '\\$&')}"`;
}
