// Orders of all clinics, page by page, for services that rebuild a projection.
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { ListOrderStatesRequest } from '@clinic/proto/billing/v1/states_pb.js';
import type { App } from '../app.ts';
import { listOrdersOfAllClinics } from './orders.sql.ts';

const MAX_LIMIT = 5_000;

export async function listOrderStates(app: Pick<App, 'db'>, { afterOrderId, limit }: ListOrderStatesRequest) {
  // As the system: over all clinics.
  const orders = await listOrdersOfAllClinics(app.db, afterOrderId, Math.min(Math.max(limit, 1), MAX_LIMIT));
  return { orders: orders.map(toFields), clinicIds: orders.map(({ clinic_id }) => clinic_id) };
}
