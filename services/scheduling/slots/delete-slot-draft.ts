// Deletes a slot draft, which releases its slot.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DeleteSlotDraftRequest } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import type { App } from '../app.ts';
import { deleteDraft } from './slot-drafts.sql.ts';

export async function deleteSlotDraft(app: App, request: DeleteSlotDraftRequest, call: Call) {
  const clinic = clinicOf(call);
  const deleted = isUuid(request.id) && (await inTenant(app.db, clinic.id, (tx) => deleteDraft(tx, request.id, null)));
  return deleted ? { message: 'Slot released' } : fail('NOT_FOUND', 'Slot draft not found');
}
