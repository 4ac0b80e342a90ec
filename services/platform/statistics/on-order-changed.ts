// Stores a paid or refunded order.
import { subscribe } from '@clinic/lib/events/events.ts';
import { OrderChangedSchema } from '@clinic/proto/events/v1/billing_pb.js';
import { upsertOrderSeen } from './orders-seen.sql.ts';

export const onOrderChanged = subscribe('order-changed', 'billing', OrderChangedSchema, (tx, order, { clinicId }) => upsertOrderSeen(tx, clinicId, order));
