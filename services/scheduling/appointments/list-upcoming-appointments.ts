// Coming appointments of everybody who is reached through a phone. The bot shows these, and changes no others.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListUpcomingAppointmentsRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../app.ts';
import { listUpcoming, toProto } from './appointments.sql.ts';

const LIMIT = 20;

export async function listUpcomingAppointments(app: App, { phone }: ListUpcomingAppointmentsRequest, call: Call) {
  const appointments = await listUpcoming(app.db, clinicOf(call).id, phone, app.clock.now(), LIMIT);
  return { appointments: appointments.map(toProto) };
}
