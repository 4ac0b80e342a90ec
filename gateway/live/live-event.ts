// Events of the live stream, which contain ids and states only.
import { type DescMessage, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { eventToken } from '@clinic/lib/events/outbox.ts';
import { EVENT_ID_HEADER } from '@clinic/lib/events/published-stream.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { AccessChangedSchema, ClinicUpdatedSchema, SubscriptionExpiringSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { ConversationUpdatedSchema, OutboundMessageUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import {
  AppointmentBookedSchema,
  AppointmentCheckedInSchema,
  AppointmentReassignedSchema,
  AppointmentRescheduledSchema,
  AppointmentStatusChangedSchema,
  AppointmentsUpdatedSchema,
  WaitlistEntryUpdatedSchema,
  WaitlistOfferClosedSchema,
  WaitlistOfferedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import type { Msg, MsgHdrs } from 'nats';

export type LiveEvent = { id: string; clinicId: string; name: string; data: Record<string, unknown> };

/** The event types that are public, by producer. An event that is not listed here is not sent to clients. */
const PUBLIC_EVENTS: Record<string, DescMessage[]> = {
  scheduling: [
    AppointmentBookedSchema,
    AppointmentCheckedInSchema,
    AppointmentReassignedSchema,
    AppointmentRescheduledSchema,
    AppointmentStatusChangedSchema,
    AppointmentsUpdatedSchema,
    WaitlistEntryUpdatedSchema,
    WaitlistOfferedSchema,
    WaitlistOfferClosedSchema,
  ],
  messaging: [ConversationUpdatedSchema, OutboundMessageUpdatedSchema],
  identity: [SubscriptionExpiringSchema],
};

/** Public name and contract by `producer.token`. */
const KNOWN = new Map(
  Object.entries(PUBLIC_EVENTS).flatMap(([producer, events]) =>
    events.map((schema) => [`${producer}.${eventToken(schema)}`, { name: eventToken(schema).replaceAll('-', '_'), schema }] as const),
  ),
);

/** Public name and contract of each event. */
export const LIVE_EVENTS = [...KNOWN.values()];

type Message = Pick<Msg, 'subject' | 'string'> & { headers?: MsgHdrs | undefined };

/** `userId` is undefined if the access of all users of the clinic may have changed. */
export type AccessChange = { clinicId: string; userId?: string | undefined };

/** The change of access that a NATS message reports; undefined for other events. */
export const parseAccessChange = (message: Message, log: Log) => parse(message, log, () => toAccessChange(message.subject, message.string()));

function toAccessChange(subject: string, payload: string): AccessChange | undefined {
  const [, clinicId = '', producer = '', token = ''] = subject.split('.');
  if (producer !== 'identity') return undefined;
  if (token === eventToken(ClinicUpdatedSchema)) return { clinicId };
  if (token !== eventToken(AccessChangedSchema)) return undefined;
  return { clinicId, userId: fromJson(AccessChangedSchema, JSON.parse(payload), { ignoreUnknownFields: true }).userId };
}

/** The event of a NATS message; undefined for an event that is not public, or cannot be parsed, which is logged. */
export const parseLiveEvent = (message: Message, log?: Log) => parse(message, log, () => toLiveEvent(message.subject, message.headers, message.string()));

function parse<T>(message: Message, log: Log | undefined, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // The message of the error may quote the payload, so only its type is logged.
    log?.error({ subject: message.subject, type: (error as Error).name }, 'an event could not be parsed and is ignored by live streams');
    return undefined;
  }
}

/** Undefined for an event that is not public. Throws for a payload that does not fit the contract. */
export function toLiveEvent(subject: string, headers: MsgHdrs | undefined, payload: string): LiveEvent | undefined {
  const [, clinicId = '', producer = '', token = ''] = subject.split('.');
  const id = headers?.get(EVENT_ID_HEADER);
  const known = KNOWN.get(`${producer}.${token}`);
  if (!id || !known) return undefined;
  const { name, schema } = known;
  return { id, clinicId, name, data: toSnakeCase(withAllFields(schema, JSON.parse(payload))) as LiveEvent['data'] };
}

/** Adds the fields that the stored event omits because they are zero, false or empty. */
const withAllFields = (schema: DescMessage, payload: JsonValue) =>
  toJson(schema, fromJson(schema, payload, { ignoreUnknownFields: true }), { alwaysEmitImplicit: true });

/** The event as the stream sends it. */
export const toText = ({ id, name, data }: LiveEvent) => `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** Keys in snake_case, as everywhere in public JSON. */
function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), toSnakeCase(inner)]));
}
