// A patient was added or changed: the thread of the phone shows who it is.
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Consumer, subscribe } from '@clinic/lib/events/events.ts';
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import { PatientCreatedSchema, PatientUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { forgetPatient, setPatient } from './conversations.sql.ts';
import { searchName } from './search-rules.ts';

/** What is true now is asked of scheduling, so order and repetition of the events do not matter. */
async function refresh(app: App, clinicId: string, patientId: string): Promise<void> {
  const patient = await app.scheduling.lookup.findPatient({ id: patientId }, await app.clinics.acting(clinicId)).catch((error: unknown) => {
    if (isReason(error, 'NOT_FOUND')) return undefined;
    throw error;
  });
  const phone = patient && !patient.isArchived ? (patient.phone ?? null) : null;
  await inTenant(app.db, clinicId, async (tx) => {
    await forgetPatient(tx, patientId, phone);
    if (patient && phone) await setPatient(tx, phone, { id: patient.id, name: patient.fullName, searchName: searchName(patient.fullName) }, app.clock.now());
  });
}

export const onPatientChanged = (app: App): Consumer[] => [
  subscribe('patient-created', 'scheduling', PatientCreatedSchema, (_tx, { patientId }, { clinicId }) => refresh(app, clinicId, patientId)),
  subscribe('patient-updated', 'scheduling', PatientUpdatedSchema, (_tx, { patientId }, { clinicId }) => refresh(app, clinicId, patientId)),
];
