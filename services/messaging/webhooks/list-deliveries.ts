// Lists the deliveries of an endpoint, and sends one again.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListWebhookDeliveriesRequest, RedeliverWebhookRequest } from '@clinic/proto/messaging/v1/webhook_pb.js';
import type { App } from '../app.ts';
import { DELIVERY_STATUSES, listDeliveries, redeliver, shareEndpointState, toProto } from './deliveries.sql.ts';
import { getEndpoint } from './manage-endpoints.ts';
import { RETRY_MS } from './retry-rules.ts';

export async function listWebhookDeliveries(app: App, request: ListWebhookDeliveriesRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { id: clinicId } = clinicOf(call);
  const status = request.status === undefined ? null : parseOneOf('status', request.status, DELIVERY_STATUSES);
  const { id } = await inTenant(app.db, clinicId, (tx) => getEndpoint(tx, request.id));
  const { rows, total } = await listDeliveries(app.db, clinicId, id, status, limit, offset);
  return { deliveries: rows.map(toProto), total, page, limit };
}

export async function redeliverWebhook(app: App, { id }: RedeliverWebhookRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(id)) fail('NOT_FOUND', 'Delivery not found');
  const delivery = await inTenant(app.db, clinicId, async (tx) => {
    const now = app.clock.now();
    if (!found(await shareEndpointState(tx, id), 'Delivery').is_active) fail('WEBHOOK_DISABLED');
    const pending = found(await redeliver(tx, id, now, new Date(now.getTime() + RETRY_MS)), 'Delivery');
    await audit(tx, clinicId, call.caller, { action: 'webhook_delivery.redelivered', entityId: id });
    return toProto(pending);
  });
  app.webhooks.due.notify();
  return delivery;
}
