// What a merge would move and fill. Changes nothing.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { PreviewMergeRequest } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { App } from '../app.ts';
import { toMaskedProto } from '../patients/encrypted-dui.ts';
import { decideMerge, parsePair } from './merge-rules.ts';
import { countRecords, findPair } from './patient-merges.sql.ts';

export async function previewMerge(app: App, request: PreviewMergeRequest, call: Call) {
  const { keepId, mergeId } = parsePair(request);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const [patients, counted] = await Promise.all([findPair(tx, [keepId, mergeId]), countRecords(tx, mergeId)]);
    const [keep, merge] = [found(patients.get(keepId), 'Patient'), found(patients.get(mergeId), 'Patient')];
    const decision = decideMerge(keep, merge);
    if ('refused' in decision) fail('MERGE_REFUSED', decision.refused, decision.details);
    const { appointments, waitlist_entries: waitlistEntries, dependants } = counted;
    return {
      keep: toMaskedProto(app.keys, keep),
      merge: toMaskedProto(app.keys, merge),
      moved: { appointments, waitlistEntries, dependants },
      filledFields: decision.filled,
      differingFields: decision.differing,
    };
  });
}
