// Processes an event again for an operator, for example after its variant was added to PAYMENTS_VARIANTS.
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid, NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ReplayPaymentEventRequest } from '@clinic/proto/billing/v1/payment_event_pb.js';
import type { App } from '../app.ts';
import { resetPaymentEvent } from './payment-events.sql.ts';
import { WORK_PAYMENT_EVENT } from './process-event.ts';

export async function replayPaymentEvent(app: Pick<App, 'db'>, { id }: ReplayPaymentEventRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Webhook event not found');
  return asSystem(app.db, async (tx) => {
    const event = found(await resetPaymentEvent(tx, id), 'Webhook event');
    await enqueue(tx, WORK_PAYMENT_EVENT, { eventId: event.id });
    await audit(tx, event.clinic_id ?? NO_CLINIC, call.caller, { action: 'payment_event.replayed', entityId: event.id });
    return toFields(event);
  });
}
