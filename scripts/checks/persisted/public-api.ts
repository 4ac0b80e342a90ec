// Names of the public API: paths, parameters, JSON fields and allowed values, from the OpenAPI document.
import { openApiDocument } from '@clinic/gateway/openapi/document.ts';
import { areas } from '@clinic/gateway/routes/areas.ts';
import { collect, type Names } from './names.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is JSON of many shapes
type Json = any;

export function publicNames(): Names {
  const document: Json = openApiDocument(areas, 'http://localhost');
  const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
  return {
    'Public requests': collect(
      operations.map(({ name, operation }) => [name, ...parametersOf(operation), ...bodiesOf(document, [operation.requestBody])] as const),
    ),
    'Public responses': collect(operations.map(({ name, operation }) => [name, ...bodiesOf(document, Object.values<Json>(operation.responses))] as const)),
  };
}

const parametersOf = ({ parameters = [] }: Json): string[] =>
  parameters.flatMap(({ name, in: place, schema }: Json) => [`${place}:${name}`, ...valuesOf(schema).map((value) => `${place}:${name}=${value}`)]);

function bodiesOf(document: Json, bodies: Json[]): string[] {
  const schemas = bodies.flatMap((body) => Object.values<Json>(body?.content ?? {}).map(({ schema }) => schema));
  return schemas.flatMap((schema) => fieldsOf(document, schema, '', []));
}

const valuesOf = ({ enum: allowed = [], const: only }: Json = {}): string[] =>
  [...allowed, ...(only === undefined ? [] : [only])].filter((value) => value !== null).map(String);

/** For example `items[].status` and `items[].status=open`. Components are expanded where they are used, so their names are not included. */
function fieldsOf(document: Json, schema: Json, at: string, within: string[]): string[] {
  if (!schema) return [];
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    return within.includes(name) ? [] : fieldsOf(document, document.components.schemas[name], at, [...within, name]);
  }
  const variants = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const extra = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  return [
    ...valuesOf(schema).map((value) => `${at}=${value}`),
    ...variants.flatMap((variant) => fieldsOf(document, variant, at, within)),
    ...Object.entries<Json>(schema.properties ?? {}).flatMap(([name, property]) => {
      const below = at === '' ? name : `${at}.${name}`;
      return [below, ...fieldsOf(document, property, below, within)];
    }),
    ...fieldsOf(document, schema.items, `${at}[]`, within),
    ...fieldsOf(document, extra, `${at}.*`, within),
  ];
}
