// Rejects a proposal.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { RejectActionRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { findAction, rejectAction as reject, toAction } from '../sql/assistant-actions.sql.ts';

export async function rejectAction(app: App, request: RejectActionRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const now = app.clock.now();
  const id = isUuid(request.id) ? request.id : fail('NOT_FOUND', 'Proposal not found');
  return inTenant(app.db, clinicId, async (tx) => {
    const action = found(await findAction(tx, id, call.caller.id), 'Proposal');
    const rejected = (await reject(tx, id, call.caller.id, now)) ?? fail('ASSISTANT_ACTION_CLOSED');
    await audit(tx, clinicId, call.caller, { action: 'assistant_action.rejected', entityId: id, changes: { kind: action.kind } });
    return toAction(app.keys, rejected, now);
  });
}
