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
import type { FoundPatient } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../app.ts';
import { linkPatient, listConversationsOfPatients, lockConversationsOfPatients, unlinkPatient } from './conversations.sql.ts';
import { findPatientOf } from './look-up-patient.ts';
import { upsertRevisions } from './patient-revisions.sql.ts';

type Changed = Pick<PatientState, 'patientId' | 'revision'>;

/**
 * The handler and its options. The current state is read from scheduling, so that the repetition of events does not matter. Handlers may run
 * concurrently, and the one of an older event may have read an older state: it changes nothing once a newer event has been handled. The patients of
 * phones that the changed patients do not have, for example those of merged records, are looked up.
 */
function refresh<E>(app: App, changedBy: (event: E) => Changed[]) {
  const read = async (event: E, { clinicId }: Envelope) => {
    const ids = changedBy(event).map(({ patientId }) => patientId);
    const { patients } = await app.scheduling.lookup.findPatients({ ids }, await app.clinics.callOptions(clinicId));
    const own = toOwners(patients);
    const owners = new Map<string, Owner | null>();
    for (const { phone } of await listConversationsOfPatients(app.db, clinicId, ids, phonesOf(patients)))
      if (!own.has(phone)) owners.set(phone, await findPatientOf(app, clinicId, phone));
    return { patients, owners };
  };
  const handle = async (tx: SystemTx, event: E, { clinicId }: Envelope, { patients, owners }: Awaited<ReturnType<typeof read>>) => {
    const ids = await upsertRevisions(tx, clinicId, changedBy(event));
    const changed = patients.filter(({ id }) => ids.includes(id));
    const own = toOwners(changed);
    for (const conversation of await lockConversationsOfPatients(tx, clinicId, ids, phonesOf(changed))) {
      const { phone, patient_id } = conversation;
      // Another phone may belong to a patient whose newer event has been handled, or have been linked since its owner was looked up.
      if (!own.has(phone) && (!owners.has(phone) || (patient_id && !ids.includes(patient_id)))) continue;
      const owner = own.get(phone) ?? owners.get(phone);
      if (owner) await linkPatient(tx, clinicId, phone, owner, app.clock.now());
      else if (patient_id) await unlinkPatient(tx, clinicId, conversation);
    }
  };
  return [handle, { read }] as const;
}

type Owner = { id: string; name: string };

const phonesOf = (patients: FoundPatient[]) => patients.flatMap(({ phone }) => phone ?? []);

/** The patients who are not archived, by phone. */
const toOwners = (patients: FoundPatient[]): Map<string, Owner> =>
  new Map(patients.flatMap(({ id, fullName: name, phone, isArchived }) => (phone && !isArchived ? [[phone, { id, name }] as const] : [])));

/** Events of early releases contain no state. */
const changedPatient = ({ patientId, patient }: { patientId: string; patient?: PatientState | undefined }) => [{ patientId, revision: patient?.revision ?? 0 }];

export const onPatientChanged = (app: App): Consumer[] => [
  subscribe('patient-created', 'scheduling', PatientCreatedSchema, ...refresh(app, changedPatient)),
  subscribe('patient-updated', 'scheduling', PatientUpdatedSchema, ...refresh(app, changedPatient)),
  subscribe('patients-changed', 'scheduling', PatientsChangedSchema, ...refresh(app, ({ patients }: PatientsChanged) => patients)),
];
