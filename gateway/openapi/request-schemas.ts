// Parameters and bodies of the reference: the schemas that validate requests, with the comments of the contracts.
import { type ZodObject, z } from 'zod';
import type { Route } from '../http/route.ts';
import { EXAMPLES } from './examples.ts';
import { operationIdOf } from './operation-id.ts';
import type { Schema } from './response-schemas.ts';

type JsonObject = Schema & { properties?: Record<string, Schema>; required?: string[] };

export function parametersOf(route: Route, comments: Map<string, string>): Schema[] {
  const { params, query, cookies } = route.request;
  return [
    ...parameters('path', params, route, comments),
    ...parameters('query', query, route, comments),
    ...parameters('cookie', cookies, route, comments),
    ...(route.creates ? [IDEMPOTENCY_KEY] : []),
  ];
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'A repeated request with the same key and body returns the first response again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function parameters(place: 'path' | 'query' | 'cookie', schema: ZodObject | undefined, route: Route, comments: Map<string, string>): Schema[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = toSchema(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...describe(name, route, comments),
    schema: property,
  }));
}

const FILE = { schema: { type: 'string', format: 'binary' } };

export function bodyOf(route: Route, comments: Map<string, string>): Schema | undefined {
  const { body, raw, upload } = route.request;
  if (upload)
    return { required: true, content: { [upload.type]: FILE, 'multipart/form-data': { schema: { type: 'object', properties: { file: FILE.schema } } } } };
  if (raw) return { required: true, content: Object.fromEntries(raw.types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])) };
  if (!body) return undefined;
  const schema = toSchema(body);
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, { ...property, ...describe(name, route, comments) }]),
  );
  const example = EXAMPLES[operationIdOf(route)]?.body ?? route.example;
  return {
    required: (schema.required ?? []).length > 0,
    content: { 'application/json': { schema: { ...schema, properties }, ...(example !== undefined && { example }) } },
  };
}

function describe(name: string, { rpc: { input: own }, request }: Route, comments: Map<string, string>): Schema {
  const input = request.upload?.begin.input ?? own;
  const field = input.fields.find((candidate) => candidate.name === name || candidate.localName === name);
  const description = field && comments.get(`${input.typeName}.${field.name}`);
  return description ? { description } : {};
}

function toSchema(schema: ZodObject): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => simplify(jsonSchema as Schema),
  });
  return json as JsonObject;
}

/** Removes patterns beside formats, limits of the language, and the variants for null and ''. */
function simplify(schema: Schema): void {
  if (schema.format) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (!Array.isArray(schema.anyOf)) return;
  const variants = schema.anyOf as Schema[];
  const [only, ...others] = variants.filter(({ type, const: constant }) => type !== 'null' && constant !== '');
  if (!only || others.length > 0 || typeof only.type !== 'string') return;
  delete schema.anyOf;
  Object.assign(schema, only, { type: [only.type, 'null'] });
  if (variants.length > 2) delete schema.minLength; // '' is a variant
  if (Array.isArray(only.enum)) schema.enum = [...only.enum, null];
}
