// The payload of webhooks: ids and states of an event, with the names of the public API.
import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { type Timestamp, TimestampSchema, timestampDate } from '@bufbuild/protobuf/wkt';
import { fromCents } from '@clinic/lib/formats/money.ts';
import { timeOfUuid } from '@clinic/lib/formats/uuid.ts';
import type { WebhookSource } from '@clinic/lib/formats/webhook-events.ts';

type NewDelivery = { messageId: string; entityId: string; payload: string };
type Fields = Record<string, unknown>;

/** The deliveries of an event: none, one, or one for each record that it lists. */
export function toDeliveries({ type, entity, list, fields, only }: WebhookSource, event: Message, envelope: { id: string }, desc: DescMessage): NewDelivery[] {
  const all = toFields(desc, event);
  if (only && !only.values.includes(String(all[only.field]))) return [];
  const timestamp = new Date(timeOfUuid(envelope.id)).toISOString();
  const records = list ? (all[list.field] as Fields[]).map((record) => ({ [list.one]: record })) : [all];
  return records.map((record, index) => {
    const data = fields ? Object.fromEntries(fields.map((name) => [name, record[name]])) : record;
    const entityId = String(entity.split('.').reduce<unknown>((value, name) => (value as Fields)[name], data));
    return { messageId: messageIdOf(envelope.id, list && index), entityId, payload: JSON.stringify({ type, timestamp, data }) };
  });
}

const messageIdOf = (eventId: string, index: number | undefined) => `msg_${eventId}${index === undefined ? '' : `_${String(index).padStart(3, '0')}`}`;

/** Empty text and absent messages become null, instants ISO 8601 in UTC, cents amounts. */
function toFields(desc: DescMessage, message: Message): Fields {
  const values = message as unknown as Fields;
  return Object.fromEntries(desc.fields.map((field) => [field.name.replace(/_cents$/, ''), toValue(field, values[field.localName])]));
}

function toValue(field: DescField, value: unknown): unknown {
  if (value === undefined || value === '') return null;
  if (field.fieldKind === 'list') return field.message ? (value as Message[]).map((one) => toFields(field.message, one)) : value;
  if (field.fieldKind === 'message')
    return field.message.typeName === TimestampSchema.typeName ? timestampDate(value as Timestamp).toISOString() : toFields(field.message, value as Message);
  return typeof value === 'bigint' ? fromCents(value) : value;
}
