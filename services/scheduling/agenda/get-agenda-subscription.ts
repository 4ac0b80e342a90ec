// Whether the caller gets the day by mail in the morning.
import { readTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAgendaSubscriptionRequest } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import type { App } from '../app.ts';
import { findSubscriptionStatement } from './agenda.sql.ts';
import { userOf } from './agenda-reader.ts';

export async function getAgendaSubscription(app: App, _request: GetAgendaSubscriptionRequest, call: Call) {
  const { id } = clinicOf(call);
  return { enabled: (await readTenant(app.db, id, findSubscriptionStatement, [id, userOf(call)])).length > 0 };
}
