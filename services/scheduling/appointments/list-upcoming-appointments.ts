// Visits to come of everybody who is reached through a phone: what the bot shows, and the only ones that it changes.
import { readTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListUpcomingAppointmentsRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../app.ts';
import { listUpcomingStatement, toProto } from './appointments.sql.ts';

const MOST = 20;

export async function listUpcomingAppointments(app: App, { phone }: ListUpcomingAppointmentsRequest, call: Call) {
  const { id } = clinicOf(call);
  const appointments = await readTenant(app.db, id, listUpcomingStatement, [id, phone, app.clock.now(), MOST]);
  return { appointments: appointments.map(toProto) };
}
