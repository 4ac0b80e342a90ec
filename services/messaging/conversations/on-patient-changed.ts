// Updates the patient of conversations when patients are added or changed.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { type Consumer, type Envelope, subscribe } from '@clinic/lib/events/events.ts';
import {
  type PatientCreated,
  PatientCreatedSchema,
  type PatientsChanged,
  PatientsChangedSchema,
  type PatientUpdated,
  PatientUpdatedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { linkPatient, unlinkPatient } from './conversations.sql.ts';

/** The handler and its options. The current state is read from scheduling, so that the order and repetition of events do not matter. */
function refresh<E>(app: App, idsOf: (event: E) => string[]) {
  const read = async (event: E, { clinicId }: Envelope) => {
    const ids = idsOf(event);
    const { patients } = await app.scheduling.lookup.findPatients({ ids }, await app.clinics.callOptions(clinicId));
    return ids.map((id) => {
      const patient = patients.find((one) => one.id === id);
      return { id, name: patient?.fullName ?? '', phone: (patient && !patient.isArchived && patient.phone) || null };
    });
  };
  const handle = async (tx: SystemTx, _event: E, { clinicId }: Envelope, patients: Awaited<ReturnType<typeof read>>) => {
    for (const { id, name, phone } of patients) {
      await unlinkPatient(tx, clinicId, id, phone);
      if (phone) await linkPatient(tx, clinicId, phone, { id, name }, app.clock.now());
    }
  };
  return [handle, { read }] as const;
}

export const onPatientChanged = (app: App): Consumer[] => [
  subscribe('patient-created', 'scheduling', PatientCreatedSchema, ...refresh(app, ({ patientId }: PatientCreated) => [patientId])),
  subscribe('patient-updated', 'scheduling', PatientUpdatedSchema, ...refresh(app, ({ patientId }: PatientUpdated) => [patientId])),
  subscribe(
    'patients-changed',
    'scheduling',
    PatientsChangedSchema,
    ...refresh(app, ({ patients }: PatientsChanged) => patients.map(({ patientId }) => patientId)),
  ),
];
