// The payloads of webhooks match their description in the reference.
import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { WEBHOOK_EVENTS, WEBHOOK_SOURCES } from '@clinic/lib/formats/webhook-events.ts';
import { expect, test } from '@jest/globals';
import { v7 } from 'uuid';
import { z } from 'zod';
import { loadComments } from '../../gateway/openapi/comments.ts';
import { webhookSchemas } from '../../gateway/openapi/webhook-schemas.ts';
import { toDeliveries } from '../../services/messaging/webhooks/payload-rules.ts';

const schemas = webhookSchemas(loadComments());

function sampleOf(desc: DescMessage): Message {
  return create(desc, Object.fromEntries(desc.fields.map((field) => [field.localName, sampleOfField(field)])));
}
function sampleOfField(field: DescField): unknown {
  if (field.fieldKind === 'list') return [field.message ? sampleOf(field.message) : v7(), field.message ? sampleOf(field.message) : v7()];
  if (field.message) return field.message.typeName === TimestampSchema.typeName ? { seconds: 1_785_000_000n, nanos: 0 } : sampleOf(field.message);
  if (field.scalar === ScalarType.BOOL) return true;
  if (field.scalar === ScalarType.INT64) return 2550n;
  return field.scalar === ScalarType.STRING ? (TEXTS[field.name] ?? (/_id$/.test(field.name) ? v7() : 'text')) : 3;
}
const TEXTS: Record<string, string> = {
  appointment_date: '2026-08-03',
  previous_date: '2026-08-03',
  issued_on: '2026-08-03',
  next_due_date: '2026-08-03',
  start_time: '10:00',
  change: 'takeover',
};

test('each event has a name, and each name an event', () => {
  expect(new Set(WEBHOOK_SOURCES.map(({ type }) => type))).toEqual(new Set(WEBHOOK_EVENTS));
  expect(Object.keys(schemas).toSorted()).toEqual([...WEBHOOK_EVENTS, 'webhook.test'].toSorted());
});

test.each(WEBHOOK_SOURCES.map((source) => [source.type, source] as const))('%s', (type, source) => {
  const envelope = { id: v7(), clinicId: v7(), subject: '' };
  const deliveries = toDeliveries(source, sampleOf(source.event), envelope, source.event);
  expect(deliveries).toHaveLength(source.list ? 2 : 1);
  for (const { entityId, payload } of deliveries) {
    const sent = JSON.parse(payload);
    expect(entityId).toMatch(/^[0-9a-f-]{36}$/);
    const described = schemas[type] as { properties: { data: { properties: object } } };
    expect(Object.keys(sent.data).toSorted()).toEqual(Object.keys(described.properties.data.properties).toSorted());
    expect(z.fromJSONSchema(relax(described) as never).safeParse(sent).error?.issues ?? []).toEqual([]);
  }
});

/** Removes closed sets of values and formats, which the texts of samples do not follow. */
function relax(schema: unknown): object {
  if (Array.isArray(schema)) return schema.map(relax);
  if (typeof schema !== 'object' || schema === null) return schema as never;
  const { enum: _enum, format: _format, pattern: _pattern, description: _description, ...rest } = schema as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, relax(value)]));
}
