// What a merge would do. Nothing is locked and nothing changes.
import { inTenant } from '@clinic/lib/db.ts';
import { fail, found } from '@clinic/lib/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { PreviewMergeRequest } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { App } from '../app.ts';
import { checkPair } from '../check-pair.ts';
import { maskDui } from '../rules/dui.ts';
import { decideMerge } from '../rules/merge.ts';
import { countRecords, findPair } from '../sql/patient-merges.ts';
import { type PatientRow, toProto } from '../sql/patients.ts';
import { openDui } from '../sql/sealed-dui.ts';

export async function previewMerge(app: App, request: PreviewMergeRequest, call: Call) {
  const { keepId, mergeId } = checkPair(request);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const [patients, counted] = await Promise.all([findPair(tx, [keepId, mergeId]), countRecords(tx, mergeId)]);
    const [keep, merge] = [found(patients.get(keepId), 'Patient'), found(patients.get(mergeId), 'Patient')];
    const decision = decideMerge(keep, merge);
    if ('refused' in decision) fail('MERGE_REFUSED', decision.refused);
    const { appointments, waitlist_entries: waitlistEntries, dependants } = counted;
    return {
      keep: masked(app, keep),
      merge: masked(app, merge),
      moved: { appointments, waitlistEntries, dependants },
      filledFields: decision.filled,
      differingFields: decision.differing,
    };
  });
}

function masked(app: App, patient: PatientRow) {
  const dui = openDui(app.keys, patient);
  return toProto(patient, dui && maskDui(dui));
}
