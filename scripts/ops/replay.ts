// `ops replay`: queues unusable webhooks, undeliverable messages and mails, or payments to be processed again.
import { create } from '@bufbuild/protobuf';
import type { AuditAction } from '@clinic/lib/audit/audit-actions.ts';
import { createSignal } from '@clinic/lib/background/signal.ts';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { ListPaymentEventsRequestSchema, ReplayPaymentEventRequestSchema } from '@clinic/proto/billing/v1/payment_event_pb.js';
import { ListChatEventsRequestSchema, ReplayChatEventRequestSchema } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import { ListDeadLettersRequestSchema, ReplayDeadLetterRequestSchema } from '@clinic/proto/messaging/v1/outbound_pb.js';
import { listPaymentEvents } from '../../services/billing/subscriptions/list-payment-events.ts';
import { replayPaymentEvent } from '../../services/billing/subscriptions/replay-payment-event.ts';
import { listChatEvents, replayChatEvent } from '../../services/messaging/inbox/chat-events.ts';
import { listDeadLetters, replayDeadLetter } from '../../services/messaging/outbound/dead-letters.ts';
import { type Command, callOf, type Ops, OpsFault } from './command.ts';

/** Of several entries with the same key, only the newest is replayed. */
type Waiting = { id?: string | undefined; status?: string | undefined; kind: string; key?: string | undefined };
/** `statuses` are those that list() can return. */
type Source = { statuses: string[]; list(ops: Ops, page: number): Promise<Waiting[]>; replay(ops: Ops, id: string): Promise<unknown> };

const PAGE = 500;
const UNUSED = ['unusable', 'unknown_clinic', 'unknown_variant'];

const payments: Source = {
  statuses: UNUSED,
  async list(ops, page) {
    const found = await Promise.all(
      UNUSED.map((status) => listPaymentEvents({ db: ops.open('billing') }, create(ListPaymentEventsRequestSchema, { status, page, limit: PAGE }))),
    );
    return found.flatMap(({ events }) => events.map(({ id, status, eventName: kind = 'payment' }) => ({ id, status, kind })));
  },
  replay: (ops, id) => replayPaymentEvent({ db: ops.open('billing') }, create(ReplayPaymentEventRequestSchema, { id }), callOf(ops)),
};

/** The newest event of each clinic: processing it recomputes the subscription from all events of the clinic. */
const subscriptions: Source = {
  ...payments,
  statuses: ['applied'],
  async list(ops, page) {
    const request = create(ListPaymentEventsRequestSchema, { status: 'applied', page, limit: PAGE });
    const { events } = await listPaymentEvents({ db: ops.open('billing') }, request);
    return events.map(({ id, status, eventName: kind = 'payment', clinicId: key }) => ({ id, status, kind, key }));
  },
};

const chat: Source = {
  statuses: ['unusable', 'unknown_number'],
  async list(ops, page) {
    const { events } = await listChatEvents({ db: ops.open('messaging') }, create(ListChatEventsRequestSchema, { page, limit: PAGE }));
    return events.map(({ id, status }) => ({ id, status, kind: 'chat' }));
  },
  replay: (ops, id) =>
    replayChatEvent({ db: ops.open('messaging'), deliveryStored: createSignal() }, create(ReplayChatEventRequestSchema, { id }), callOf(ops)),
};

const letters: Source = {
  statuses: ['dead'],
  async list(ops, page) {
    const { deadLetters } = await listDeadLetters({ db: ops.open('messaging') }, create(ListDeadLettersRequestSchema, { page, limit: PAGE }));
    return deadLetters.map(({ id, status, kind = 'message' }) => ({ id, status, kind }));
  },
  replay: (ops, id) => replayDeadLetter({ db: ops.open('messaging'), clock: systemClock }, create(ReplayDeadLetterRequestSchema, { id }), callOf(ops)),
};

const REPLAYS: Record<string, { sources: Source[]; action: AuditAction }> = {
  webhooks: { sources: [payments, chat], action: 'webhooks.replayed' },
  'dead-letters': { sources: [letters], action: 'dead-letters.replayed' },
  subscriptions: { sources: [subscriptions], action: 'subscriptions.replayed' },
};

export const replay: Command = {
  usage: `<webhooks | dead-letters | subscriptions> [--id <uuid>] [--status <status>] [--dry-run]

  webhooks           deliveries of the payment and chat providers that are unusable, or refer to an unknown clinic, number
                     or product. Earlier effects are not repeated
  dead-letters       chat messages and mails whose retries are exhausted. They are sent: review them with --dry-run first
  subscriptions      the newest payment event of each clinic, which makes billing recompute the subscription from all stored
                     payment events of the clinic. Changes only clinics whose subscription was wrong

The command only queues them: the running services process them within a few seconds.

  --id <uuid>        only this one
  --status <status>  only those with this status: unusable, unknown_clinic, unknown_variant or unknown_number
  --dry-run          only lists them`,
  options: { id: { type: 'string' }, status: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  words: 1,
  async run(ops, { values, words: [what = ''] }) {
    const replayed = Object.hasOwn(REPLAYS, what) ? REPLAYS[what] : undefined;
    if (!replayed) throw new OpsFault(`Name what to replay: ${Object.keys(REPLAYS).join(', ')}.`);
    const statuses = [...new Set(replayed.sources.flatMap((source) => source.statuses))];
    if (values.status !== undefined && !statuses.includes(String(values.status)))
      throw new OpsFault(`--status ${values.status}: ${what} can have the status ${statuses.join(', ')}.`);
    const dryRun = values['dry-run'] === true;
    let done = 0;
    for (const source of replayed.sources) {
      const all = await listAll(ops, source);
      const wanted = all.filter(({ id, status }) => (values.id === undefined || id === values.id) && (values.status === undefined || status === values.status));
      for (const { id = '', kind, status } of wanted) {
        if (dryRun) ops.print(`${id}  ${kind}  ${status}`);
        else if (!(await isReplayed(source.replay(ops, id)))) continue;
        done += 1;
        if (!dryRun && done % 100 === 0) ops.print(`${done} queued again`);
      }
    }
    if (values.id !== undefined && done === 0) throw new OpsFault(`Nothing with the id ${values.id} can be replayed.`);
    if (!dryRun && done > 0) await ops.record({ action: replayed.action, entityId: String(values.id ?? values.status ?? 'all'), changes: { replayed: done } });
    ops.print(dryRun ? `${done} would be replayed` : `${done} queued again`);
    return 0;
  },
};

/** False when the entry can no longer be replayed, for example because another operator has replayed it since it was listed. */
const isReplayed = (replaying: Promise<unknown>): Promise<boolean> =>
  replaying.then(
    () => true,
    (error) => {
      if (error instanceof ServiceError && error.reason === 'NOT_FOUND') return false;
      throw error;
    },
  );

/** All entries that can be replayed, the oldest first. They are read before the first replay, because a replay shifts the pages. */
async function listAll(ops: Ops, source: Source): Promise<Waiting[]> {
  const found = new Map<string, Waiting>();
  for (let page = 1; ; page++) {
    const some = await source.list(ops, page);
    for (const one of some) {
      const key = one.key || one.id;
      if (key && !found.has(key)) found.set(key, one);
    }
    if (some.length < PAGE) return [...found.values()].reverse();
  }
}
