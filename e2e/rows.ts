// All rows of the gateway, so that tests cover new routes automatically.
import { areas } from '@clinic/gateway/routes/areas.ts';
import { z } from 'zod';
import type { Body } from './api.ts';

export type Row = (typeof areas)[number]['routes'][number];

export const rows: Row[] = areas.flatMap((area) => area.routes);

export const nameOf = (row: Row) => `${row.method.toUpperCase()} ${row.path}`;
export const named = (some: Row[]): [string, Row][] => some.map((row) => [nameOf(row), row]);

/** The path with its parameters replaced. */
export const pathOf = (row: Row, fill: (parameter: string) => string) => row.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(fill(name)));

export const parametersOf = (row: Row) => [...row.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

/** The JSON Schema of a part of the request, as for a client. */
export function schemaOf(part: z.ZodType | undefined): Body {
  return part ? z.toJSONSchema(part, { io: 'input', unrepresentable: 'any' }) : undefined;
}

/** The schema of a field without null and ''. */
export function coreOf(field: Body): Body {
  if (Array.isArray(field.type)) return { ...field, type: field.type.find((type: string) => type !== 'null') };
  if (!field.anyOf) return field;
  return field.anyOf.map(coreOf).find((one: Body) => one.type !== 'null' && one.const !== '') ?? field;
}

const isId = (field: Body) => coreOf(field).format === 'uuid';
const isIds = (field: Body) => coreOf(field).type === 'array' && isId(coreOf(field).items);

/** Names of the fields of a part that contain the id of a record, or a list of ids. */
export function idFields(part: z.ZodType | undefined): string[] {
  return Object.entries<Body>(schemaOf(part)?.properties ?? {}).flatMap(([name, field]) => (isId(field) || isIds(field) ? [name] : []));
}

/** An id in the form that the field takes: alone, or in a list. */
export const asField = (part: z.ZodType | undefined, name: string, id: string) => (isIds(schemaOf(part)?.properties?.[name]) ? [id] : id);
