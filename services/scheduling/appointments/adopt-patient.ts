// A person who booked online without proving the phone becomes a patient when the appointment is confirmed: the one who has the phone, or a new one.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { AppointmentReassignedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { findZone } from '../clinics/clinics.sql.ts';
import { resolveClaim } from '../patients/claimed-phone.ts';
import { type EmbeddedRow, setPatient, toState } from './appointments.sql.ts';

/** The patient of the locked appointment from now on; undefined when it has one already. */
export async function adoptPatient(tx: TenantTx, caller: Caller, { id, patient_id }: EmbeddedRow, now: Date) {
  const patient = await resolveClaim(tx, caller, patient_id, now);
  if (!patient) return undefined;
  const [moved, timezone] = await Promise.all([setPatient(tx, id, patient.id, now), findZone(tx, tx.clinicId)]);
  await emit(tx, tx.clinicId, AppointmentReassignedSchema, { appointment: toState(moved, timezone), previousPatientId: patient_id });
  return { patient_name: patient.full_name, patient_phone: patient.phone, alerts: patient.alerts };
}
