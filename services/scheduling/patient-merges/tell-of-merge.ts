// What a merge and its undo tell: both patients, and each record that moved.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { AppointmentReassignedSchema, PatientUpdatedSchema, WaitlistEntryUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { toState as toAppointmentState } from '../appointments/appointments.sql.ts';
import { type PatientRow, toState } from '../patients/sql/patients.sql.ts';
import { toState as toEntryState } from '../waitlist/waitlist-entries.sql.ts';
import type { moveBack } from './patient-merges.sql.ts';

type Moved = Awaited<ReturnType<typeof moveBack>>;

export async function tellOfMoves(tx: TenantTx, timezone: string, { appointments, entries }: Moved, previousPatientId: string): Promise<void> {
  await Promise.all([
    ...appointments.map((one) => emit(tx, tx.clinicId, AppointmentReassignedSchema, { appointment: toAppointmentState(one, timezone), previousPatientId })),
    ...entries.map((entry) => emit(tx, tx.clinicId, WaitlistEntryUpdatedSchema, toEntryState(entry))),
  ]);
}

export async function tellOfPatients(tx: TenantTx, patients: PatientRow[]): Promise<void> {
  await Promise.all(patients.map((patient) => emit(tx, tx.clinicId, PatientUpdatedSchema, { patientId: patient.id, patient: toState(patient) })));
}
