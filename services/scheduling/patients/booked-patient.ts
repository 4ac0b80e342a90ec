// The patient of a booking or a waitlist entry: given by id, or by name and phone.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { renameOf } from '@clinic/lib/audit/rename-of.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { type NoteSource, noteOfOther } from '@clinic/lib/formats/note-of-other.ts';
import { parseName } from '@clinic/lib/formats/person-name.ts';
import { parsePhone } from '@clinic/lib/formats/phone.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Caller, isOfClinic } from '@clinic/lib/rpc/caller.ts';
import { v7 } from 'uuid';
import { refuseMerged } from '../patient-records/merged-record-rules.ts';
import type { DuiHolder } from './encrypted-dui.ts';
import { publishCreated, publishUpdated } from './publish-patients.ts';
import {
  type BookedChange,
  type BookedPatient,
  changeBookedPatient,
  DETAILS,
  type EncryptedDui,
  findDependantNamed,
  findIdByPhone,
  insertPatientByPhone,
  lockBookedPatient,
  lockPatientByPhone,
  type Named,
  PERSONAL_FIELDS,
} from './sql/patients.sql.ts';

type ById = { id: string; name: Named | undefined; phone: string | undefined };
/**
 * `toDui` returns the DUI of the booking, encrypted for the patient; null without one, or when the patient has it. `fillFrom` is the id of the record
 * whose details fill the empty ones of the patient.
 */
type ByPhone = { name: Named; phone: string; toDui?: (patient: DuiHolder) => EncryptedDui | null; fillFrom?: string };
type PatientRef = ById | ByPhone;

type PatientFields = { patientId?: string | undefined; patientName?: string | undefined; patientPhone?: string | undefined };

export function parsePatientRef({ patientId, patientName, patientPhone }: PatientFields, country: string): PatientRef {
  const name = patientName === undefined ? undefined : toNamed(parseName('patientName', patientName));
  const phone = patientPhone === undefined ? undefined : parsePhone('patientPhone', patientPhone, country);
  if (patientId !== undefined) return { id: parseUuid('patientId', patientId), name, phone };
  return { name: name ?? invalid('patientName', REQUIRED), phone: phone ?? invalid('patientPhone', REQUIRED) };
}

const REQUIRED = 'is required without patientId';
export const toNamed = (full_name: string): Named => ({ full_name, search_name: searchName(full_name) });

/** The patient with the id or the phone, locked. */
export const lockRef = (tx: TenantTx, ref: PatientRef): Promise<BookedPatient | undefined> =>
  'id' in ref ? lockBookedPatient(tx, ref.id) : lockOwner(tx, ref.phone);

/**
 * The patient, who can be neither deleted nor merged before the transaction ends. A patient given by phone may be added, restored, or renamed by the
 * clinic, and gets the DUI of the booking. `locked` is what lockRef() returned.
 */
export async function resolvePatient(tx: TenantTx, caller: Caller, ref: PatientRef, now: Date, locked?: BookedPatient): Promise<BookedPatient> {
  const patient = locked ?? (await lockRef(tx, ref));
  return 'id' in ref ? patientById(tx, ref, patient) : patientByPhone(tx, caller, ref, now, patient);
}

/** The notes of a booking, which begin with the name that was given if the patient has another one. */
export const notesWithName = (source: NoteSource, { name }: PatientRef, patient: { full_name: string }, notes: string | null): string | null =>
  name && name.search_name !== searchName(patient.full_name) ? noteOfOther(source, name.full_name, notes) : notes;

/** Changes nothing. Throws NOT_FOUND for an archived patient, CONFLICT for a merged one, VALIDATION_ERROR for a name or phone that is not the patient's. */
async function patientById(tx: TenantTx, { name, phone }: ById, locked: BookedPatient | undefined): Promise<BookedPatient> {
  const patient = found(locked, 'Patient');
  refuseMerged(patient);
  if (patient.archived_at) fail('NOT_FOUND', 'Patient not found');
  if (name && name.search_name !== searchName(patient.full_name)) invalid('patientName', 'is not the name of the patient with patientId');
  if (phone && phone !== patient.phone) {
    const owner = await findIdByPhone(tx, phone);
    if (!owner || (owner !== patient.id && owner !== patient.guardian_id)) invalid('patientPhone', 'is not the phone of the patient with patientId');
  }
  return patient;
}

/** The dependant of this name whose guardian has the phone, or else the patient who has it, whom only the clinic renames. */
async function patientByPhone(tx: TenantTx, caller: Caller, ref: ByPhone, now: Date, owner: BookedPatient | undefined): Promise<BookedPatient> {
  const { name, phone, toDui, fillFrom } = ref;
  if (!owner) {
    const id = v7();
    const added = await insertPatientByPhone(tx, id, name, phone, toDui?.({ clinic_id: tx.clinicId, id, dui_sealed: null }) ?? null);
    if (!added) return resolvePatient(tx, caller, ref, now); // a concurrent request added the patient
    await Promise.all([publishCreated(tx, tx.clinicId, added), audit(tx, tx.clinicId, caller, { action: 'patient.created', entityId: id })]);
    return change(tx, caller, added, { name: undefined, dui: null, fillFrom }, now);
  }
  const isSame = owner.full_name === name.full_name && !owner.archived_at;
  const dependant = isSame || searchName(owner.full_name) === name.search_name ? undefined : await findDependantNamed(tx, owner.id, name.search_name);
  const patient = dependant ?? owner;
  const isRenamed = !isSame && !dependant && isOfClinic(caller);
  return change(tx, caller, patient, { name: isRenamed ? name : undefined, dui: toDui?.(patient) ?? null, fillFrom }, now);
}

async function change(tx: TenantTx, caller: Caller, patient: BookedPatient, changed: BookedChange, now: Date): Promise<BookedPatient> {
  const { name, dui, fillFrom } = changed;
  if (!name && !dui && !fillFrom && !patient.archived_at) return patient;
  const after = await changeBookedPatient(tx, patient.id, changed, now);
  if (!after) return patient;
  const isRestored = patient.archived_at !== null && !name;
  return isRestored ? publishChange(tx, caller, { ...patient, archived_at: null }, after, 'patient.restored') : publishChange(tx, caller, patient, after);
}

const CHANGEABLE = ['full_name', 'archived_at', 'dui_sealed', 'dui_verified', ...DETAILS] as const;

/** Publishes a change of the patient of a booking, and records it in the audit log. Returns the patient. */
export async function publishChange(
  tx: TenantTx,
  caller: Caller,
  before: BookedPatient,
  after: BookedPatient,
  action: 'patient.updated' | 'patient.restored' = 'patient.updated',
): Promise<BookedPatient> {
  const changeable = (patient: BookedPatient) => Object.fromEntries(CHANGEABLE.map((field) => [field, patient[field]]));
  const changes = maskChanges(changeable(before), changeable(after), PERSONAL_FIELDS);
  const entry = { action, entityId: after.id, changes, ...renameOf(before, after) } as const;
  await Promise.all([publishUpdated(tx, tx.clinicId, after), audit(tx, tx.clinicId, caller, entry)]);
  return after;
}

async function lockOwner(tx: TenantTx, phone: string): Promise<BookedPatient | undefined> {
  const owner = await lockPatientByPhone(tx, phone);
  if (!owner || (owner.phone === phone && !owner.merged_into)) return owner;
  // Found by the phone of a merged record; or a merge, its undo or a change of the phone was committed while the statement waited for the lock.
  return (await findIdByPhone(tx, phone)) === owner.id ? owner : lockOwner(tx, phone);
}
