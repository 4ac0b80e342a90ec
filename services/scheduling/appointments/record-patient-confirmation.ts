// Records that a patient will attend. The status of the appointment stays as it is: only the desk confirms a pending one.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AppointmentsUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { RecordPatientConfirmationRequest } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { App } from '../app.ts';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { type EmbeddedRow, toProto, toState } from './appointment-row.ts';
import { lockAppointment } from './appointments.sql.ts';
import { setPatientConfirmed } from './change-appointment.sql.ts';

export async function recordPatientConfirmation(app: App, { id }: RecordPatientConfirmationRequest, call: Call) {
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockAppointment(tx, id), 'Appointment');
    if (before.status !== 'confirmed') fail('APPOINTMENT_NOT_ACTIVE');
    return toProto(await confirmByPatient(app, tx, call, before));
  });
}

/** Does nothing when the patient has already confirmed the current time of the locked appointment. */
export async function confirmByPatient(app: App, tx: TenantTx, call: Call, before: EmbeddedRow): Promise<EmbeddedRow> {
  if (before.patient_confirmed_at) return before;
  const [after, timezone] = await Promise.all([setPatientConfirmed(tx, before.id, app.clock.now()), findZoneIn(tx, tx.clinicId)]);
  await Promise.all([
    emit(tx, tx.clinicId, AppointmentsUpdatedSchema, { appointments: [toState(after, timezone)] }),
    audit(tx, tx.clinicId, call.caller, { action: 'appointment.patient_confirmed', entityId: before.id }),
  ]);
  return { ...before, ...after };
}
