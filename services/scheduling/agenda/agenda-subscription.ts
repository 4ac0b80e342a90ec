// Reads and changes whether the caller receives the daily agenda by mail.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAgendaSubscriptionRequest, SetAgendaSubscriptionRequest } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import type { App } from '../app.ts';
import { userOf } from '../clinics/mail-recipient.ts';
import { isSubscribed, setSubscribed } from './agenda.sql.ts';

export async function getAgendaSubscription(app: App, _request: GetAgendaSubscriptionRequest, call: Call) {
  const userId = userOf(call);
  return { enabled: await inTenant(app.db, clinicOf(call).id, (tx) => isSubscribed(tx, userId)) };
}

export async function setAgendaSubscription(app: App, { enabled }: SetAgendaSubscriptionRequest, call: Call) {
  const userId = userOf(call);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    if (await setSubscribed(tx, userId, enabled, app.clock.now())) {
      await audit(tx, tx.clinicId, call.caller, { action: enabled ? 'agenda.subscribed' : 'agenda.unsubscribed', entityId: userId });
    }
    return { enabled };
  });
}
