// Stores which patients recall may contact. A patient who opts out is also removed from the queue at once.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { subscribe } from '@clinic/lib/events/events.ts';
import { PatientCreatedSchema, type PatientState, PatientsChangedSchema, PatientUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../../app.ts';
import { withdrawOptedOut } from '../sql/recall-contacts.sql.ts';
import { upsertPatients } from '../sql/recall-projection.sql.ts';

export const onPatientCreated = (app: App) =>
  subscribe('recall-patient-created', 'scheduling', PatientCreatedSchema, (tx, { patient }, { clinicId }) => projectPatient(app, tx, clinicId, patient));

export const onPatientUpdated = (app: App) =>
  subscribe('recall-patient-updated', 'scheduling', PatientUpdatedSchema, (tx, { patient }, { clinicId }) => projectPatient(app, tx, clinicId, patient));

export const onPatientsChanged = (app: App) =>
  subscribe('recall-patients-changed', 'scheduling', PatientsChangedSchema, (tx, { patients }, { clinicId }) => {
    const clinicIds = patients.map(() => clinicId);
    return upsertPatients(tx, clinicIds, patients, app.clock.now());
  });

/** Events of early releases contain no state; RebuildRecallVisits reads the state from scheduling. */
async function projectPatient(app: App, tx: SystemTx, clinicId: string, patient: PatientState | undefined): Promise<void> {
  if (!patient) return;
  const now = app.clock.now();
  await upsertPatients(tx, [clinicId], [patient], now);
  if (patient.recallOptedOut) await withdrawOptedOut(tx, clinicId, patient.patientId, now);
}
