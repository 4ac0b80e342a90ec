// Converts between public JSON and messages. Schemas and messages are compiled once, when a route is mounted, into closures that run for each
// request.
import { type DescField, type DescMessage, getOption, hasOption, type Message, ScalarType } from '@bufbuild/protobuf';
import { StructSchema, type Timestamp, TimestampSchema, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { camel_case, cents, internal } from '@clinic/proto/common/v1/options_pb.js';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Fields = Record<string, unknown>;
type Convert = (value: unknown) => unknown;
type Encode = (message: Message) => { [key: string]: Json };

/**
 * Returns a function that fills the initial values of a message from validated input. Keys are spelled as in the public API; absent and null values
 * are left out.
 */
export function compileInit(message: DescMessage, keys: string[]): (input: Fields, init: Fields) => void {
  const setters = keys.map((key) => {
    const field = fieldOf(message, key);
    return { key, name: field.localName, convert: fromJson(field) };
  });
  return (input, init) => {
    for (const { key, name, convert } of setters) {
      const value = input[key];
      if (value !== undefined && value !== null) init[name] = convert(value);
    }
  };
}

/** The field that is spelled `key` in camelCase or snake_case. */
export function fieldOf(message: DescMessage, key: string): DescField {
  const field = message.fields.find(({ name, localName }) => name === key || localName === key);
  if (!field) throw new Error(`${message.typeName} has no field for ${key}`);
  return field;
}

function fromJson(field: DescField): Convert {
  switch (field.fieldKind) {
    case 'scalar':
      return scalarFromJson(field, field.scalar);
    case 'list':
      return each(field.listKind === 'message' ? messageFromJson(field.message) : scalarFromJson(field, scalarOf(field)));
    case 'map':
      return eachEntry(field.mapKind === 'message' ? messageFromJson(field.message) : scalarFromJson(field, scalarOf(field)));
    case 'message':
      return messageFromJson(field.message);
    default:
      throw unsupported(field);
  }
}

function scalarFromJson(field: DescField, scalar: ScalarType): Convert {
  if (!isBigint(scalar)) return same;
  return isSet(field, cents) ? (value) => BigInt(Math.round((value as number) * 100)) : (value) => BigInt(value as number);
}

/** A message whose only field is a list is an array in JSON. Such a message distinguishes an absent list from an empty one. */
function messageFromJson(message: DescMessage): Convert {
  if (message.typeName === TimestampSchema.typeName) return (value) => timestampFromDate(new Date(value as string));
  const [only, ...others] = message.fields;
  let fill: ReturnType<typeof compileInit> | undefined; // compiled at first use, because a message may contain itself
  const whole: Convert = (value) => {
    fill ??= compileBothSpellings(message);
    const init = {};
    fill(value as Fields, init);
    return init;
  };
  if (only?.fieldKind !== 'list' || others.length > 0) return whole;
  const list = fromJson(only);
  return (value) => (Array.isArray(value) ? { [only.localName]: list(value) } : whole(value));
}

/** Nested fields may be spelled in camelCase or snake_case. */
const compileBothSpellings = (message: DescMessage) => compileInit(message, [...new Set(message.fields.flatMap(({ name, localName }) => [name, localName]))]);

const encoders = new Map<DescMessage, Encode>();

/** Encodes a message as public JSON: absent fields are null, instants are in UTC, money has decimals, internal fields are left out. */
export function compileJson(message: DescMessage): Encode {
  const known = encoders.get(message);
  if (known) return known;
  const members: { name: string; read: (from: Fields) => Json }[] = [];
  const encode: Encode = (from) => {
    const json: { [key: string]: Json } = {};
    for (const { name, read } of members) json[name] = read(from as unknown as Fields);
    return json;
  };
  encoders.set(message, encode); // before its fields are compiled, because a message may contain itself
  for (const field of message.fields) if (!isSet(field, internal)) members.push({ name: publicName(field), read: reader(field) });
  return encode;
}

/** The name of a field in public JSON. */
export const publicName = (field: DescField): string => (isSet(field.parent, camel_case) ? field.localName : field.name);

function reader(field: DescField): (from: Fields) => Json {
  const { localName } = field;
  const convert = toJson(field);
  if (field.oneof) {
    const { localName: group } = field.oneof;
    return (from) => {
      const chosen = from[group] as { case?: string; value?: unknown };
      return chosen.case === localName ? convert(chosen.value) : null;
    };
  }
  return (from) => {
    const value = from[localName];
    return value === undefined ? null : convert(value);
  };
}

function toJson(field: DescField): (value: unknown) => Json {
  switch (field.fieldKind) {
    case 'scalar':
      return scalarToJson(field, field.scalar);
    case 'list':
      return each(field.listKind === 'message' ? messageToJson(field.message) : scalarToJson(field, scalarOf(field))) as (value: unknown) => Json;
    case 'map':
      return eachEntry(field.mapKind === 'message' ? messageToJson(field.message) : scalarToJson(field, scalarOf(field))) as (value: unknown) => Json;
    case 'message':
      return messageToJson(field.message);
    default:
      throw unsupported(field);
  }
}

function scalarToJson(field: DescField, scalar: ScalarType): (value: unknown) => Json {
  if (scalar === ScalarType.BYTES) throw unsupported(field);
  if (!isBigint(scalar)) return same as (value: unknown) => Json;
  return isSet(field, cents) ? (value) => Number(value) / 100 : Number;
}

function messageToJson(message: DescMessage): (value: unknown) => Json {
  if (message.typeName === TimestampSchema.typeName) return (value) => timestampDate(value as Timestamp).toISOString();
  if (message.typeName === StructSchema.typeName) return same as (value: unknown) => Json;
  return compileJson(message) as (value: unknown) => Json;
}

function scalarOf(field: DescField & { fieldKind: 'list' | 'map' }): ScalarType {
  if (field.scalar === undefined) throw unsupported(field);
  return field.scalar;
}

const BIGINTS = new Set([ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64, ScalarType.FIXED64, ScalarType.SFIXED64]);
const isBigint = (scalar: ScalarType) => BIGINTS.has(scalar);
const same: Convert = (value) => value;
const each = (convert: Convert) => (value: unknown) => (value as unknown[]).map((entry) => convert(entry));
const eachEntry = (convert: Convert) => (value: unknown) => Object.fromEntries(Object.entries(value as Fields).map(([key, entry]) => [key, convert(entry)]));
const unsupported = (field: DescField) => new Error(`${field.parent.typeName}.${field.name} has no public JSON form`);

/** Whether a flag is true. getOption() alone takes a hundred times as long, because it creates a message even for an option that is not set. */
const isSet: typeof hasOption = (desc, option) => hasOption(desc, option) && getOption(desc, option) === true;
