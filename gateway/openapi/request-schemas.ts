// Parameters and bodies of the reference: the schemas that validate requests, described by the comments of the contracts.
import type { DescMessage } from '@bufbuild/protobuf';
import { type ZodObject, z } from 'zod';
import type { Route } from '../http/route.ts';
import { EXAMPLES } from './examples.ts';
import { operationIdOf } from './operation-id.ts';
import type { Schema } from './response-schemas.ts';

type JsonObject = Schema & { properties?: Record<string, JsonObject>; items?: JsonObject; required?: string[] };

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
    ...describe(inputOf(route), name, comments),
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
  const example = EXAMPLES[operationIdOf(route)]?.body ?? route.example;
  return {
    required: (schema.required ?? []).length > 0,
    content: { 'application/json': { schema: withComments(schema, inputOf(route), comments), ...(example !== undefined && { example }) } },
  };
}

const inputOf = ({ rpc, request }: Route): DescMessage => request.upload?.begin.input ?? rpc.input;

const findField = ({ fields }: DescMessage, name: string) => fields.find((field) => field.name === name || field.localName === name);

function describe(message: DescMessage, name: string, comments: Map<string, string>): Schema {
  const description = comments.get(`${message.typeName}.${findField(message, name)?.name}`);
  return description ? { description } : {};
}

/** Describes the properties of an object, at any depth, with the comments of the message. */
function withComments(schema: JsonObject, message: DescMessage, comments: Map<string, string>): JsonObject {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const inner = findField(message, name)?.message;
    return [name, { ...(inner ? describeInner(property, inner, comments) : property), ...describe(message, name, comments) }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** A message whose only field is a list is an array in JSON, as in pipeline/transcode.ts. */
function describeInner(schema: JsonObject, message: DescMessage, comments: Map<string, string>): JsonObject {
  if (schema.properties) return withComments(schema, message, comments);
  if (!schema.items) return schema;
  const [only, ...others] = message.fields;
  const element = only?.fieldKind === 'list' && others.length === 0 ? only.message : message;
  return element ? { ...schema, items: describeInner(schema.items, element, comments) } : schema;
}

function toSchema(schema: ZodObject): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => simplify(jsonSchema as Schema),
  });
  return json as JsonObject;
}

/** Removes patterns of values that have a format, the integer limits of JavaScript, and the variants for null and ''. */
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
