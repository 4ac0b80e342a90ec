// Moves deliveries of the providers that reached the source after the move, when it no longer knew the clinic, to the target.
import { create } from '@bufbuild/protobuf';
import { ReplayPaymentEventRequestSchema } from '@clinic/proto/billing/v1/payment_event_pb.js';
import type pg from 'pg';
import { replayPaymentEvent } from '../../../services/billing/subscriptions/replay-payment-event.ts';
import { decryptDelivery } from '../../../services/messaging/inbox/delivery-store.ts';
import { callOf, type Ops } from '../command.ts';

export type Sides = { clinicId: string; source: pg.Client; target: pg.Client; ops: Ops; targetOps: Ops };

type ChatEvent = { id: string; body_sealed: Buffer; bytes: number; received_at: Date };

/** Moves deliveries for the clinic's chat number. The target recognises messages that it already has by the provider's ids. */
export async function moveChatDeliveries({ clinicId, source, target, ops }: Sides): Promise<number> {
  const { rows: numbers } = await target.query<{ id: string }>(
    'select proven_number_id as id from messaging.channels where clinic_id = $1 and proven_number_id is not null',
    [clinicId],
  );
  const { rows } = await source.query<ChatEvent>(
    `select id, body_sealed, bytes, received_at from messaging.chat_events where status in ('unknown_number', 'unproven_number') order by seq`,
  );
  const keys = rows.length > 0 ? ops.keys('messaging') : [];
  const late = rows.filter(({ id, body_sealed }) => numbers.some((number) => decryptDelivery(keys, id, body_sealed).includes(JSON.stringify(number.id))));
  for (const { id, body_sealed, bytes, received_at } of late) {
    await target.query('insert into messaging.chat_events (id, body_sealed, bytes, received_at) values ($1, $2, $3, $4) on conflict (id) do nothing', [
      id,
      body_sealed,
      bytes,
      received_at,
    ]);
    await source.query('delete from messaging.chat_events where id = $1', [id]);
  }
  return late.length;
}

type PaymentEvent = { id: string; dedupe_key: string; body_sealed: Buffer; header_name: string; received_at: Date };

/** Moves payment events that refer to the clinic, or to an order or subscription of the clinic. */
export async function movePaymentDeliveries({ clinicId, source, target, targetOps }: Sides): Promise<number> {
  const { rows: known } = await target.query<{ orders: string[]; subscriptions: string[] }>(
    `select coalesce(array_agg(distinct order_id) filter (where order_id is not null), '{}') as orders,
      coalesce(array_agg(distinct subscription_id) filter (where subscription_id is not null), '{}') as subscriptions
    from billing.payment_facts where clinic_id = $1`,
    [clinicId],
  );
  const { rows: late } = await source.query<PaymentEvent>(
    `select id, dedupe_key, body_sealed, header_name, received_at from billing.payment_events
    where clinic_id = $1 or (clinic_id is null and (order_id = any($2) or subscription_id = any($3))) order by received_at, id`,
    [clinicId, known[0]?.orders, known[0]?.subscriptions],
  );
  for (const { id, dedupe_key, body_sealed, header_name, received_at } of late) {
    const { rowCount } = await target.query(
      `insert into billing.payment_events (id, dedupe_key, body_sealed, header_name, status, received_at) values ($1, $2, $3, $4, 'received', $5)
      on conflict on constraint payment_events_dedupe do nothing`,
      [id, dedupe_key, body_sealed, header_name, received_at],
    );
    if (rowCount === 1) await replayPaymentEvent({ db: targetOps.open('billing') }, create(ReplayPaymentEventRequestSchema, { id }), callOf(targetOps));
    await source.query('with facts as (delete from billing.payment_facts where event_id = $1) delete from billing.payment_events where id = $1', [id]);
  }
  return late.length;
}
