// Changes a patient: absent fields stay as they are, an empty text clears an optional one.
import { audit, isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { renameOf } from '@clinic/lib/audit/rename-of.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { maskDui } from '@clinic/lib/formats/dui.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { parsePhone } from '@clinic/lib/formats/phone.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdatePatientRequest } from '@clinic/proto/scheduling/v1/patient_pb.js';
import type { App } from '../../app.ts';
import { refuseMerged } from '../../patient-records/merged-record-rules.ts';
import { decryptDui, encryptDui, toWholeProto } from '../encrypted-dui.ts';
import { parseDetails, parseOptionalDui } from '../parse-patient.ts';
import { namePhoneOwner } from '../phone-taken.ts';
import { publishUpdated } from '../publish-patients.ts';
import { optOutDependants } from '../recall-opt-outs.ts';
import { findPatient, lockPatient, lockPatientKey, lockReached, type PatientRow, PERSONAL_FIELDS, updatePatient as update } from '../sql/patients.sql.ts';

export async function updatePatient(app: App, request: UpdatePatientRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  // A client may send a patient back as a list returned it, with a masked DUI.
  const isMasked = request.dui !== undefined && request.dui === maskDui(request.dui);
  const dui = isMasked ? null : parseOptionalDui('dui', request.dui);
  const phone = request.phone ? parsePhone('phone', request.phone, clinic.country) : undefined;
  const change = async (tx: TenantTx) => {
    const before = found(await (request.phone === '' ? lockWithGuardian(tx, request.id) : lockPatient(tx, request.id)), 'Patient');
    refuseMerged(before);
    if (request.phone === '' && before.phone) requireGuardian(before);
    const storedDui = decryptDui(app.keys, before);
    if (isMasked && request.dui !== maskDui(storedDui ?? '')) invalid('dui', 'is masked: send the whole DUI');
    const isSameDui = request.dui === undefined || isMasked || dui === storedDui;
    const now = app.clock.now();
    // Stored values are not parsed again: earlier releases accepted a few that are refused now.
    const parsed = parseDetails({ ...request, fullName: request.fullName ?? before.full_name }, dateIn(clinic.timezone, now));
    const shown = {
      full_name: parsed.full_name,
      phone: request.phone === '' ? null : (phone ?? before.phone),
      email: request.email === undefined ? before.email : parsed.email,
      birth_date: request.birthDate === undefined ? before.birth_date : parsed.birth_date,
      gender: request.gender === undefined ? before.gender : parsed.gender,
      address: request.address === undefined ? before.address : parsed.address,
      notes: request.notes === undefined ? before.notes : parsed.notes,
    };
    if (isSameDui && isUnchanged(before, shown)) return toWholeProto(app.keys, tx, call.caller, before);
    const changedDui = isSameDui ? undefined : encryptDui(app.keys, clinic.id, before.id, dui);
    const after = found(await update(tx, before.id, { ...shown, search_name: parsed.search_name }, changedDui, now), 'Patient');
    await Promise.all([
      publishUpdated(tx, clinic.id, after),
      audit(tx, clinic.id, call.caller, {
        action: 'patient.updated',
        entityId: after.id,
        changes: maskChanges(before, after, PERSONAL_FIELDS),
        ...renameOf(before, after),
      }),
    ]);
    if (phone !== undefined && after.recall_opted_out && !before.recall_opted_out) {
      // The owner of the new phone opted out before being a patient.
      await lockReached(tx, after.id, true);
      await optOutDependants(tx, call.caller, after.id, now);
    }
    return toWholeProto(app.keys, tx, call.caller, after);
  };
  const work = () => inTenant(app.db, clinic.id, change);
  return phone === undefined ? work() : namePhoneOwner(app, clinic.id, phone, work, request.id.toLowerCase());
}

/**
 * Locks the guardian first, as all who lock a family do. A dependant who will be reached through the guardian's phone gets the opt-out of a guardian
 * who opts out at the same time, who is waited for, or waits.
 */
async function lockWithGuardian(tx: TenantTx, id: string): Promise<PatientRow | undefined> {
  const guardianId = (await findPatient(tx, id))?.guardian_id;
  if (guardianId) await lockPatientKey(tx, guardianId);
  const patient = await lockPatient(tx, id);
  return !patient || patient.guardian_id === guardianId ? patient : lockWithGuardian(tx, id);
}

/** Throws VALIDATION_ERROR for a patient who needs a phone: one without a guardian, or with dependants. */
function requireGuardian({ guardian_id, dependants }: PatientRow): void {
  if (!guardian_id || dependants.length > 0) invalid('phone', 'must not be empty: only a dependant can be without a phone');
}
