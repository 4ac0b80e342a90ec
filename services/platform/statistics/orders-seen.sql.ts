// Projection of paid orders. Events may repeat and arrive out of order: the highest revision wins.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type Db, execute, readSystem, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { OrderChanged } from '@clinic/proto/events/v1/billing_pb.js';

const upsertStatement = sql(`
  insert into orders_seen as seen (order_id, clinic_id, status, total_cents, refunded_cents, ordered_at, revision)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (order_id) do update set
    clinic_id = excluded.clinic_id, status = excluded.status, total_cents = excluded.total_cents,
    refunded_cents = excluded.refunded_cents, ordered_at = excluded.ordered_at, revision = excluded.revision
  where excluded.revision > seen.revision`);

export async function upsertOrderSeen(tx: SystemTx, clinicId: string, order: OrderChanged): Promise<void> {
  if (!order.orderedAt) return;
  const { orderId, status, totalCents, refundedCents, orderedAt, revision } = order;
  await execute(tx, upsertStatement, [orderId, clinicId, status, totalCents, refundedCents, timestampDate(orderedAt), revision]);
}

type OrderCounts = { total: number; revenue: bigint };

const countStatement = sql<OrderCounts>(`
  select count(*)::int as total,
    coalesce(sum(total_cents - refunded_cents) filter (where ordered_at >= $1 and ordered_at < $2), 0)::bigint as revenue
  from orders_seen`);

/** All orders, and the revenue in cents of those ordered in the interval, less refunds. */
export const countOrders = async (db: Db, { from, to }: { from: Date; to: Date }) => (await readSystem(db, countStatement, [from, to]))[0] as OrderCounts; // an aggregate always returns a row
