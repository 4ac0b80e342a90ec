// JSON Schemas of responses, derived from the messages with the same names and options as in pipeline/transcode.ts.
import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import { StructSchema, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { cents, internal } from '@clinic/proto/common/v1/options_pb.js';
import { publicName } from '../pipeline/transcode.ts';
import { stringSchema } from './string-formats.ts';

export type Schema = Record<string, unknown>;

/** How a message is written: replies have every field, absent ones as null; events omit absent fields and have 64-bit integers as strings. */
type Form = 'reply' | 'event';

/** Collects the schemas of messages by their short names in `schemas`. */
export function messageSchemas(comments: Map<string, string>, form: Form = 'reply') {
  const schemas: Record<string, Schema> = {};
  const owners = new Map<string, DescMessage>();

  /** A reference to the schema of a message; the schema is built at the first reference. */
  function refer(message: DescMessage): Schema {
    const owner = owners.get(message.name);
    if (owner && owner !== message) throw new Error(`${owner.typeName} and ${message.typeName} need different names in the reference`);
    if (!owner) {
      owners.set(message.name, message);
      schemas[message.name] = describe(message);
    }
    return { $ref: `#/components/schemas/${message.name}` };
  }

  function describe(message: DescMessage): Schema {
    const fields = message.fields.filter((field) => !getOption(field, internal));
    return {
      type: 'object',
      description: comments.get(message.typeName),
      required: fields.filter((field) => form === 'reply' || !mayBeAbsent(field)).map(publicName),
      properties: Object.fromEntries(fields.map((field) => [publicName(field), property(field)])),
    };
  }

  function property(field: DescField): Schema {
    const description = comments.get(`${field.parent.typeName}.${field.name}`);
    const schema = value(field, description ?? '');
    return {
      ...(form === 'reply' && mayBeNull(field, description) ? nullable(schema) : schema),
      ...(description && { description }),
      ...(field.proto.options?.deprecated && { deprecated: true }),
    };
  }

  function value(field: DescField, comment: string): Schema {
    switch (field.fieldKind) {
      case 'message':
        return message(field.message);
      case 'list':
        return { type: 'array', items: field.listKind === 'message' ? message(field.message) : scalar(field, field.scalar, comment) };
      case 'map':
        return { type: 'object', additionalProperties: field.mapKind === 'message' ? message(field.message) : scalar(field, field.scalar, comment) };
      default:
        return scalar(field, field.scalar, comment);
    }
  }

  function message(desc: DescMessage): Schema {
    if (desc.typeName === TimestampSchema.typeName) return { type: 'string', format: 'date-time' };
    return desc.typeName === StructSchema.typeName ? { type: 'object' } : refer(desc);
  }

  function scalar(field: DescField, kind: ScalarType | undefined, comment: string): Schema {
    if (form === 'reply' && getOption(field, cents)) return { type: 'number', multipleOf: 0.01 };
    switch (kind) {
      case ScalarType.STRING:
        return stringSchema(comment);
      case ScalarType.BOOL:
        return { type: 'boolean' };
      case ScalarType.DOUBLE:
      case ScalarType.FLOAT:
        return { type: 'number' };
      case ScalarType.INT64:
      case ScalarType.UINT64:
        return form === 'reply' ? { type: 'integer' } : { type: 'string', pattern: '^-?\\d+$' };
      default:
        return { type: 'integer' };
    }
  }

  return { schemas, refer, property };
}

/** A field that is a message can be absent without being optional in the contract; its comment then mentions null. */
const mayBeNull = (field: DescField, comment = '') => field.proto.proto3Optional || (field.fieldKind === 'message' && /\bnull\b/.test(comment));

const mayBeAbsent = (field: DescField) => field.proto.proto3Optional || field.fieldKind === 'message';

export function nullable(schema: Schema): Schema {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [schema.type, 'null'], ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }) };
}
