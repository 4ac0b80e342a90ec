// JSON Schemas of responses, derived from the messages by the same names and options as in pipeline/transcode.ts.
import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import { StructSchema, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { cents, internal } from '@clinic/proto/common/v1/options_pb.js';
import { publicName } from '../pipeline/transcode.ts';

export type Schema = Record<string, unknown>;

/** Collects the schemas of messages by their short names. */
export function replySchemas(comments: Map<string, string>) {
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
      required: fields.map(publicName),
      properties: Object.fromEntries(fields.map((field) => [publicName(field), property(field)])),
    };
  }

  function property(field: DescField): Schema {
    const description = comments.get(`${field.parent.typeName}.${field.name}`);
    const schema = value(field, description ?? '');
    return { ...(field.proto.proto3Optional ? nullable(schema) : schema), ...(description && { description }) };
  }

  function value(field: DescField, comment: string): Schema {
    switch (field.fieldKind) {
      case 'message':
        return message(field.message);
      case 'list':
        return { type: 'array', items: field.listKind === 'message' ? message(field.message) : scalar(field, field.scalar, '') };
      case 'map':
        return { type: 'object', additionalProperties: field.mapKind === 'message' ? message(field.message) : scalar(field, field.scalar, '') };
      default:
        return scalar(field, field.scalar, comment);
    }
  }

  function message(desc: DescMessage): Schema {
    if (desc.typeName === TimestampSchema.typeName) return { type: 'string', format: 'date-time' };
    return desc.typeName === StructSchema.typeName ? { type: 'object' } : refer(desc);
  }

  return { schemas, refer, property };
}

function nullable(schema: Schema): Schema {
  return typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, { type: 'null' }] };
}

/** The format of a string is taken from the beginning of its comment. */
function scalar(field: DescField, kind: ScalarType | undefined, comment: string): Schema {
  if (getOption(field, cents)) return { type: 'number', multipleOf: 0.01 };
  switch (kind) {
    case ScalarType.STRING:
      return { type: 'string', ...(comment.startsWith('UUID') && { format: 'uuid' }), ...(comment.startsWith('YYYY-MM-DD') && { format: 'date' }) };
    case ScalarType.BOOL:
      return { type: 'boolean' };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: 'number' };
    default:
      return { type: 'integer' };
  }
}
