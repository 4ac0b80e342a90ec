// Updates the patient of conversations when patients are added or changed.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { type Consumer, type Envelope, subscribe } from '@clinic/lib/events/events.ts';
import {
  PatientCreatedSchema,
  type PatientState,
  type PatientsChanged,
  PatientsChangedSchema,
  PatientUpdatedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { linkPatient, unlinkPatient } from './conversations.sql.ts';
import { upsertRevisions } from './patient-revisions.sql.ts';

type Changed = Pick<PatientState, 'patientId' | 'revision'>;

/**
 * The handler and its options. The current state is read from scheduling, so that the repetition of events does not matter. Handlers may run
 * concurrently, and the one of an older event may have read an older state: it changes nothing once a newer event has been handled.
 */
function refresh<E>(app: App, changedBy: (event: E) => Changed[]) {
  const read = async (event: E, { clinicId }: Envelope) => {
    const ids = changedBy(event).map(({ patientId }) => patientId);
    const { patients } = await app.scheduling.lookup.findPatients({ ids }, await app.clinics.callOptions(clinicId));
    return new Map(patients.map((patient) => [patient.id, patient]));
  };
  const handle = async (tx: SystemTx, event: E, { clinicId }: Envelope, patients: Awaited<ReturnType<typeof read>>) => {
    for (const id of await upsertRevisions(tx, clinicId, changedBy(event))) {
      const patient = patients.get(id);
      const phone = (!patient?.isArchived && patient?.phone) || null;
      await unlinkPatient(tx, clinicId, id, phone);
      if (patient && phone) await linkPatient(tx, clinicId, phone, { id, name: patient.fullName }, app.clock.now());
    }
  };
  return [handle, { read }] as const;
}

/** Events of early releases contain no state. */
const changedPatient = ({ patientId, patient }: { patientId: string; patient?: PatientState | undefined }) => [{ patientId, revision: patient?.revision ?? 0 }];

export const onPatientChanged = (app: App): Consumer[] => [
  subscribe('patient-created', 'scheduling', PatientCreatedSchema, ...refresh(app, changedPatient)),
  subscribe('patient-updated', 'scheduling', PatientUpdatedSchema, ...refresh(app, changedPatient)),
  subscribe('patients-changed', 'scheduling', PatientsChangedSchema, ...refresh(app, ({ patients }: PatientsChanged) => patients)),
];
