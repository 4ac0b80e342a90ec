// Whether the caller receives the daily agenda by mail.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAgendaSubscriptionRequest } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import type { App } from '../app.ts';
import { readSubscribed } from './agenda.sql.ts';
import { userOf } from './agenda-recipient.ts';

export async function getAgendaSubscription(app: App, _request: GetAgendaSubscriptionRequest, call: Call) {
  return { enabled: await readSubscribed(app.db, clinicOf(call).id, userOf(call)) };
}
