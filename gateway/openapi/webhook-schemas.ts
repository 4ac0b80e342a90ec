// The `webhooks` of the OpenAPI document: the events that services/messaging/webhooks sends to the endpoints of clinics.
import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { WEBHOOK_SOURCES, type WebhookSource } from '@clinic/lib/formats/webhook-events.ts';
import { EXAMPLES } from './examples.ts';
import { nullable, type Schema } from './response-schemas.ts';
import { stringSchema } from './string-formats.ts';

const header = (name: string, description: string) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } });
const HEADERS = [
  header('webhook-id', 'Id of the delivery, the same for each attempt.'),
  header('webhook-timestamp', 'When the attempt began, in seconds since 1970.'),
  header('webhook-signature', 'Signatures, separated by spaces. Each is `v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by dots.'),
];
const RESPONSES = {
  '2XX': { description: 'Received. After any other status the delivery is repeated.' },
  '410': { description: 'The endpoint is switched off and receives nothing more.' },
};

/** The data of `webhook.test`, sent by `POST /api/webhook-endpoints/:id/test`. */
const TEST_DATA = {
  type: 'object',
  description: 'Sent when an administrator tests the endpoint, regardless of the events to which it subscribes.',
  required: ['endpoint_id'],
  properties: { endpoint_id: { type: 'string', format: 'uuid', description: 'The webhook endpoint.' } },
};

/** `appointment.booked` → `onAppointmentBooked`. */
export const webhookOperationId = (type: string) => `on${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`;

/** An operation for each type of event. */
export function webhookOperations(comments: Map<string, string>, tag: string): Record<string, Schema> {
  const schemas = webhookSchemas(comments);
  return Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => {
      const operationId = webhookOperationId(type);
      const example = EXAMPLES[operationId]?.body;
      const requestBody = { required: true, content: { 'application/json': { schema, ...(example !== undefined && { example }) } } };
      const summary = `Receive ${type}`;
      return [type, { post: { tags: [tag], operationId, summary, security: [], parameters: HEADERS, requestBody, responses: RESPONSES } }];
    }),
  );
}

/** The schema of each type's body. */
export function webhookSchemas(comments: Map<string, string>): Record<string, Schema> {
  const body = (type: string, data: Schema) =>
    object({ type: { type: 'string', const: type }, timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' }, data });
  const sources = [...WEBHOOK_SOURCES].reverse().map((source) => [source.type, body(source.type, dataSchema(source, comments))]);
  return { ...Object.fromEntries(sources), 'webhook.test': body('webhook.test', TEST_DATA) };
}

const object = (properties: Record<string, Schema>, description?: string) => ({
  type: 'object',
  ...(description && { description }),
  required: Object.keys(properties),
  properties,
});

function dataSchema({ event, list, fields }: WebhookSource, comments: Map<string, string>): Schema {
  const all = propertiesOf(event, comments);
  const description = comments.get(event.typeName);
  if (list) return object({ [list.one]: (all[list.field] as { items: Schema }).items }, description);
  return object(fields ? Object.fromEntries(fields.map((name) => [name, all[name] as Schema])) : all, description);
}

const propertiesOf = (desc: DescMessage, comments: Map<string, string>) =>
  Object.fromEntries(desc.fields.map((field) => [field.name.replace(/_cents$/, ''), property(field, comments)]));

function property(field: DescField, comments: Map<string, string>): Schema {
  const comment = comments.get(`${field.parent.typeName}.${field.name}`) ?? '';
  return { ...schemaOf(field, comment, comments), ...(comment && { description: comment.replace(/,? in cents/, '') }) };
}

function schemaOf(field: DescField, comment: string, comments: Map<string, string>): Schema {
  if (field.message?.typeName === TimestampSchema.typeName) return nullable({ type: 'string', format: 'date-time' });
  const one = field.message ? object(propertiesOf(field.message, comments), comments.get(field.message.typeName)) : scalar(field, comment);
  return field.fieldKind === 'list' ? { type: 'array', items: one } : one;
}

function scalar({ scalar: kind }: DescField, comment: string): Schema {
  if (kind === ScalarType.BOOL) return { type: 'boolean' };
  if (kind === ScalarType.INT64) return { type: 'number', multipleOf: 0.01 };
  if (kind !== ScalarType.STRING) return { type: 'integer' };
  return /\bempty\b/.test(comment) ? nullable(stringSchema(comment)) : stringSchema(comment);
}
