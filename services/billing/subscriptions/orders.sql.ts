// Paid orders by their id at the payment provider.
import { type Db, readSystem, row, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { Order } from './order-rules.ts';

type OrderRow = { order_id: string; clinic_id: string; status: string; total_cents: bigint; refunded_cents: bigint; ordered_at: Date; revision: number };

const COLUMNS = 'order_id, clinic_id, status, total_cents, refunded_cents, ordered_at, revision';

const putStatement = sql<OrderRow>(`
  insert into orders as known (order_id, clinic_id, status, total_cents, refunded_cents, ordered_at, revision) values ($1, $2, $3, $4, $5, $6, 1)
  on conflict (order_id) do update set clinic_id = excluded.clinic_id, status = excluded.status, total_cents = excluded.total_cents,
    refunded_cents = excluded.refunded_cents, ordered_at = excluded.ordered_at, revision = known.revision + 1
  where (known.clinic_id, known.status, known.total_cents, known.refunded_cents, known.ordered_at)
    is distinct from (excluded.clinic_id, excluded.status, excluded.total_cents, excluded.refunded_cents, excluded.ordered_at)
  returning ${COLUMNS}`);

/** The row when it has changed. */
export const putOrder = (tx: SystemTx, clinicId: string, order: Order) =>
  row(tx, putStatement, [order.orderId, clinicId, order.status, order.totalCents, order.refundedCents, new Date(order.orderedAt)]);

const ofClinicStatement = sql<OrderRow>(`select ${COLUMNS} from orders where clinic_id = $1`);

export const listOrdersOf = (tx: SystemTx, clinicId: string) => rows(tx, ofClinicStatement, [clinicId]);

const pageStatement = sql<OrderRow>(`
  select ${COLUMNS} from orders o where order_id > $1
    and not exists (select from clinic_subscriptions s where s.clinic_id = o.clinic_id and s.applied_revision = 0)
  order by order_id limit $2`);

/** Published orders of all clinics after an order id, sorted by it. */
export const listOrdersOfAllClinics = (db: Db, afterOrderId: string, limit: number) => readSystem(db, pageStatement, [afterOrderId, limit]);
