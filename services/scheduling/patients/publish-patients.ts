// Publishes patients, so that other services update what they store of them.
import type { SystemTx, Tx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { PatientCreatedSchema, PatientUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { type PatientState, toState } from './sql/patients.sql.ts';
import { listErased } from './sql/subjects.sql.ts';

export const publishCreated = (tx: Tx, clinicId: string, patient: PatientState) =>
  emit(tx, clinicId, PatientCreatedSchema, { patientId: patient.id, patient: toState(patient) });

export const publishUpdated = (tx: Tx, clinicId: string, patient: PatientState) =>
  emit(tx, clinicId, PatientUpdatedSchema, { patientId: patient.id, patient: toState(patient) });

/** After the event, services that store a name or a phone look it up again, and no longer find it. */
export async function publishErased(tx: SystemTx, clinicId: string, patientIds: string[]): Promise<void> {
  for (const patient of await listErased(tx, clinicId, patientIds)) await publishUpdated(tx, clinicId, patient);
}
