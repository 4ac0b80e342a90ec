// Updates the patient of conversations when patients are added or changed.
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Consumer, subscribe } from '@clinic/lib/events/events.ts';
import { PatientCreatedSchema, PatientsChangedSchema, PatientUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { linkPatient, unlinkPatient } from './conversations.sql.ts';

/** Reads the current state from scheduling, so that the order and repetition of events do not matter. */
async function refresh(app: App, clinicId: string, ids: string[]): Promise<void> {
  const { patients } = await app.scheduling.lookup.findPatients({ ids }, await app.clinics.callOptions(clinicId));
  await inTenant(app.db, clinicId, async (tx) => {
    for (const id of ids) {
      const patient = patients.find((one) => one.id === id);
      const phone = (patient && !patient.isArchived && patient.phone) || null;
      await unlinkPatient(tx, id, phone);
      if (patient && phone) await linkPatient(tx, phone, { id, name: patient.fullName }, app.clock.now());
    }
  });
}

export const onPatientChanged = (app: App): Consumer[] => [
  subscribe('patient-created', 'scheduling', PatientCreatedSchema, (_tx, { patientId }, { clinicId }) => refresh(app, clinicId, [patientId])),
  subscribe('patient-updated', 'scheduling', PatientUpdatedSchema, (_tx, { patientId }, { clinicId }) => refresh(app, clinicId, [patientId])),
  subscribe('patients-changed', 'scheduling', PatientsChangedSchema, (_tx, { patients }, { clinicId }) =>
    refresh(
      app,
      clinicId,
      patients.map(({ patientId }) => patientId),
    ),
  ),
];
