// The appointment that a step is linked to, which belongs to scheduling.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { type AppointmentState, lockAppointmentState } from './sql/linked-appointments.sql.ts';

export type LinkedAppointment = AppointmentState & { patient_id: string };

/** Asked before the transaction begins, so that none waits for a neighbour. NOT_FOUND for what is no appointment of the clinic. */
export async function getAppointment(app: App, call: Call, id: string): Promise<LinkedAppointment> {
  if (!isUuid(id)) fail('NOT_FOUND', 'Appointment not found');
  const { patientId, status, revision } = await app.lookup.findAppointment({ id }, callAs(call.caller));
  return { appointment_id: id.toLowerCase(), patient_id: patientId, status, revision };
}

/** Locks the visit, which comes before any lock of a plan, and returns it with its newest status. */
export async function lockAppointment(tx: TenantTx, visit: LinkedAppointment): Promise<LinkedAppointment> {
  return { ...visit, status: await lockAppointmentState(tx, visit) };
}

/** NOT_FOUND when the visit is another patient's. */
export function checkSamePatient(visit: LinkedAppointment | undefined, plan: { patient_id: string }): void {
  if (visit && visit.patient_id !== plan.patient_id) fail('NOT_FOUND', 'Appointment not found');
}
