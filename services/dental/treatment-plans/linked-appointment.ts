// The appointment that a step is linked to. Scheduling owns it.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { type AppointmentState, lockAppointmentState } from './sql/linked-appointments.sql.ts';

export type LinkedAppointment = AppointmentState & { patient_id: string };

/** Called before the transaction begins, so that none stays open across an RPC. Throws NOT_FOUND unless the clinic has the appointment. */
export async function getAppointment(app: App, call: Call, id: string): Promise<LinkedAppointment> {
  if (!isUuid(id)) fail('NOT_FOUND', 'Appointment not found');
  const { patientId, status, revision } = await app.lookup.findAppointment({ id }, callAs(call.caller));
  return { appointment_id: id.toLowerCase(), patient_id: patientId, status, revision };
}

/** Locks the appointment's state and returns the appointment with its newest status. Must precede any lock of a plan. */
export async function lockAppointment(tx: TenantTx, appointment: LinkedAppointment): Promise<LinkedAppointment> {
  return { ...appointment, status: await lockAppointmentState(tx, appointment) };
}

/** Throws NOT_FOUND when the appointment belongs to another patient. */
export function checkSamePatient(appointment: LinkedAppointment | undefined, plan: { patient_id: string }): void {
  if (appointment && appointment.patient_id !== plan.patient_id) fail('NOT_FOUND', 'Appointment not found');
}
