// Pages through all orders, so that a neighbour can rebuild what it made of events. As the system: over all clinics.
import { readSystem } from '@clinic/lib/db/db.ts';
import type { ListOrderStatesRequest } from '@clinic/proto/billing/v1/states_pb.js';
import type { App } from '../app.ts';
import { pageOrdersStatement, toEvent } from './orders.sql.ts';

const MOST = 5_000;

export async function listOrderStates(app: Pick<App, 'db'>, { afterOrderId, limit }: ListOrderStatesRequest) {
  const orders = await readSystem(app.db, pageOrdersStatement, [afterOrderId, Math.min(Math.max(limit, 1), MOST)]);
  return { orders: orders.map(toEvent), clinicIds: orders.map(({ clinic_id }) => clinic_id) };
}
