// Merges a patient's record into another one.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AppointmentReassignedSchema, PatientsMergedSchema, WaitlistEntryUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { type MergePatientsRequest, PatientFamilyService, type PreviewMergeRequest } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { toState as toAppointmentState } from '../appointments/appointment-row.ts';
import { decryptDui, encryptDui, toMaskedProto } from '../patients/encrypted-dui.ts';
import { publishUpdated } from '../patients/publish-patients.ts';
import { optOutDependants } from '../patients/recall-opt-outs.ts';
import type { PatientRow } from '../patients/sql/patients.sql.ts';
import { toState as toEntryState } from '../waitlist/waitlist-entries.sql.ts';
import { decideMerge, parsePair } from './merge-rules.ts';
import {
  countRecords,
  findActiveMerge,
  findPair,
  insertMerge,
  lockPair,
  type MergeRow,
  mergeFields,
  type moveBack,
  moveRecords,
  toMerge,
} from './patient-merges.sql.ts';

/** What a merge would move and fill. Changes nothing. */
export async function previewMerge(app: App, request: PreviewMergeRequest, call: Call) {
  const { keepId, mergeId } = parsePair(request);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const [patients, counted] = await Promise.all([findPair(tx, [keepId, mergeId]), countRecords(tx, mergeId)]);
    const [keep, merge] = [found(patients.get(keepId), 'Patient'), found(patients.get(mergeId), 'Patient')];
    const decision = decideMerge(keep, merge);
    if ('refused' in decision) fail('MERGE_REFUSED', decision.refused, decision.details);
    return {
      keep: toMaskedProto(app.keys, keep),
      merge: toMaskedProto(app.keys, merge),
      moved: toFields(counted),
      filledFields: decision.filled,
      differingFields: decision.differing,
    };
  });
}

/** Everything moves in one transaction, under the locks of both records. */
export async function mergePatients(app: App, request: MergePatientsRequest, call: Call) {
  const clinic = clinicOf(call);
  const { keepId, mergeId } = parsePair(request);
  return idempotent(app.db, call, PatientFamilyService.method.mergePatients, request, async (tx) => {
    const patients = await lockPair(tx, [keepId, mergeId]);
    const [keep, merge] = [found(patients.get(keepId), 'Patient'), found(patients.get(mergeId), 'Patient')];
    if (merge.merged_into === keep.id) return toMerge(found(await findActiveMerge(tx, keep.id, merge.id), 'Merge'));
    const decision = decideMerge(keep, merge);
    if ('refused' in decision) fail('MERGE_REFUSED', decision.refused, decision.details);
    const { filled } = decision;
    const now = app.clock.now();
    // Only the dependants whom the remaining patient already has: for the others, the opt-out of the merged patient was decided before.
    if (merge.recall_opted_out && !keep.recall_opted_out) await optOutDependants(tx, call.caller, keep.id, now);
    const moved = await moveRecords(tx, merge.id, keep.id, now);
    const done: MergeRow = {
      id: v7(),
      kept_id: keep.id,
      merged_id: merge.id,
      appointments: moved.appointments.map(({ id }) => id),
      waitlist_entries: moved.entries.map(({ id }) => id),
      dependants: [...moved.dependants.map(({ id }) => id), ...(keep.guardian_id === merge.id ? [keep.id] : [])],
      aliases: moved.aliases.map(({ id }) => id),
      filled,
      missed: moved.appointments.filter(({ status }) => status === 'no_show').length,
      was_archived_at: merge.archived_at,
      created_at: now,
      undone_at: null,
    };
    const merged = await mergeFields(tx, keep.id, merge.id, filled.includes('dui') ? reencryptDui(app, tx, merge, keep.id) : null, now);
    await Promise.all([
      insertMerge(tx, done),
      ...[...merged, ...moved.dependants.filter(({ recall_opted_out }) => recall_opted_out)].map((patient) => publishUpdated(tx, clinic.id, patient)),
      publishMoves(tx, clinic.timezone, moved, merge.id),
      emit(tx, clinic.id, PatientsMergedSchema, { mergeId: done.id, keptId: keep.id, mergedId: merge.id }),
      audit(tx, clinic.id, call.caller, { action: 'patient.merged', entityId: keep.id, changes: { merge_id: done.id, merged_id: merge.id, filled } }),
    ]);
    return toMerge(done);
  });
}

/** An encrypted DUI can be decrypted only in its own row. */
const reencryptDui = (app: App, tx: TenantTx, from: PatientRow, toId: string) => encryptDui(app.keys, tx.clinicId, toId, decryptDui(app.keys, from));

type Moved = Awaited<ReturnType<typeof moveBack>>;

/** Publishes each record that a merge, or undoing one, has moved. */
export async function publishMoves(tx: TenantTx, timezone: string, { appointments, entries }: Moved, previousPatientId: string): Promise<void> {
  await Promise.all([
    ...appointments.map((one) => emit(tx, tx.clinicId, AppointmentReassignedSchema, { appointment: toAppointmentState(one, timezone), previousPatientId })),
    ...entries.map((entry) => emit(tx, tx.clinicId, WaitlistEntryUpdatedSchema, toEntryState(entry))),
  ]);
}
