// Subscribes the caller to the daily agenda by mail, or ends the subscription.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SetAgendaSubscriptionRequest } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import type { App } from '../app.ts';
import { setSubscribed } from './agenda.sql.ts';
import { userOf } from './agenda-recipient.ts';

export async function setAgendaSubscription(app: App, { enabled }: SetAgendaSubscriptionRequest, call: Call) {
  const clinic = clinicOf(call);
  const userId = userOf(call);
  return inTenant(app.db, clinic.id, async (tx) => {
    if (await setSubscribed(tx, userId, enabled, app.clock.now())) {
      await audit(tx, clinic.id, call.caller, { action: enabled ? 'agenda.subscribed' : 'agenda.unsubscribed', entityId: userId });
    }
    return { enabled };
  });
}
