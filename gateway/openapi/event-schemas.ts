// JSON Schemas of server-sent events: each has its name as the constant of `event`, and the schema of its data.
import { LIVE_EVENTS } from '../live/live-event.ts';
import { messageSchemas, type Schema } from './response-schemas.ts';

/** Any of the events, as a client has it after parsing the data. */
export function streamSchema(events: { name: string; data: Schema }[], id?: Schema): Schema {
  return {
    oneOf: events.map(({ name, data }) => ({
      type: 'object',
      title: name,
      required: [...(id ? ['id'] : []), 'event', 'data'],
      properties: { ...(id && { id }), event: { type: 'string', const: name }, data },
    })),
  };
}

/** The schemas of the events of GET /api/events, and `LiveEvent`, which is any of them. */
export function liveEventSchemas(comments: Map<string, string>): Record<string, Schema> {
  const { schemas, refer } = messageSchemas(comments, 'event');
  const events = LIVE_EVENTS.map(({ name, schema }) => ({ name, data: schema.field.conversationId ? withPhone(refer(schema)) : refer(schema) }));
  const id = { type: 'string', format: 'uuid', description: 'Id of the event, for Last-Event-ID.' };
  return { ...schemas, LiveEvent: { description: 'An event of GET /api/events.', ...streamSchema(events, id) } };
}

/** Adds the phone, which the contract lacks and the stream adds (live/phones.ts). */
const withPhone = (data: Schema): Schema => ({
  allOf: [
    data,
    {
      type: 'object',
      required: ['phone'],
      properties: { phone: { type: ['string', 'null'], description: 'Identifies the conversation in this API; null while it cannot be looked up.' } },
    },
  ],
});
