// What an event tells of a visit. A booking may be the fruit of a recall message.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import type { AppointmentState } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../../app.ts';
import { noteBooking } from '../sql/recall-contacts.sql.ts';
import { upsertAppointments } from '../sql/recall-projection.sql.ts';

export async function projectAppointment(app: App, tx: SystemTx, clinicId: string, visit: AppointmentState | undefined): Promise<void> {
  if (!visit) return;
  await upsertAppointments(tx, [clinicId], [visit]);
  await noteBooking(tx, clinicId, visit.patientId, app.clock.now());
}
