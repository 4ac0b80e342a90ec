// Stores one delivery for each endpoint that wants an event, and signals the sender.
import type { DescMessage } from '@bufbuild/protobuf';
import { type Consumer, type Delivered, type Envelope, subscribeAll } from '@clinic/lib/events/events.ts';
import { eventToken } from '@clinic/lib/events/outbox.ts';
import { timeOfUuid } from '@clinic/lib/formats/uuid.ts';
import { WEBHOOK_SOURCES, type WebhookSource } from '@clinic/lib/formats/webhook-events.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertDeliveries } from './deliveries.sql.ts';
import { listKnown, listSubscribed } from './endpoints.sql.ts';
import { toDeliveries } from './payload-rules.ts';
import { RETRY_MS } from './retry-rules.ts';
import { sendsWebhooks } from './sends-webhooks.ts';

const SEND_WEBHOOKS = 'send-webhooks';

/** Since when clinics have endpoints, and the clinics to which events of the type are sent. */
type Known = { since: Map<string, Date>; clinicIds: string[] };

export const onEvents = (app: App): Consumer[] => WEBHOOK_SOURCES.map((source) => onEvent(app, source));

function onEvent(app: App, source: WebhookSource): Consumer {
  const { type, producer, event: desc } = source;

  /** Since when the clinics of the events have endpoints, and which clinics have endpoints for this type and a plan with webhooks. */
  async function readEndpoints(events: Delivered[]): Promise<Known> {
    const all = await listKnown(app.db, [...new Set(events.map(({ envelope }) => envelope.clinicId))], type);
    const subscribed = new Set(all.filter(({ wanted }) => wanted).map(({ clinic_id }) => clinic_id));
    const states = await Promise.all([...subscribed].map(async (id) => ((await sendsWebhooks(app, id)) ? [id] : [])));
    return { since: new Map(all.map(({ clinic_id, since }) => [clinic_id, since])), clinicIds: states.flat() };
  }

  return subscribeAll<DescMessage, Known>(
    `webhooks-${eventToken(desc)}`,
    producer,
    desc,
    async (tx, events, { clinicIds }) => {
      if (clinicIds.length === 0) return;
      const endpoints = Map.groupBy(await listSubscribed(tx, clinicIds, type), ({ clinic_id }) => clinic_id);
      const deliveries = events.flatMap(({ event, envelope }) => {
        const wanted = endpoints.get(envelope.clinicId)?.filter(({ created_at }) => isAfter(envelope, created_at)) ?? [];
        const made = wanted.length > 0 ? toDeliveries(source, event, envelope, desc) : [];
        return made.flatMap((one) => wanted.map(({ id }) => ({ ...one, clinicId: envelope.clinicId, id: v7(), endpointId: id })));
      });
      if (deliveries.length === 0) return;
      const now = app.clock.now();
      await insertDeliveries(tx, type, deliveries, new Date(now.getTime() + RETRY_MS), now);
      await enqueue(tx, SEND_WEBHOOKS, {});
    },
    // An event that is older than all endpoints of its clinic is never sent, even if endpoints are added or changed later.
    { read: readEndpoints, concerns: ({ envelope }, { since }) => isAfter(envelope, since.get(envelope.clinicId)) },
  );
}

/** An endpoint receives events from its creation on. */
const isAfter = ({ id }: Envelope, created: Date | undefined) => created !== undefined && created.getTime() <= timeOfUuid(id);

/** Queued with the deliveries, so that the sender of some replica begins as soon as they are committed. */
export const sendWebhooksJob = (app: App) => job(SEND_WEBHOOKS, {}, async () => app.webhooks.due.notify());
