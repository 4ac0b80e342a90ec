// Executes a proposal, once, for the user to whom it was shown.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, toServiceError } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { findReason } from '@clinic/lib/rpc/reasons.ts';
import type { ConfirmActionRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { executeProposal } from '../execute-proposal.ts';
import { findPermissions } from '../permissions.ts';
import { type ActionStatus, claimAction, findAction, finishAction, proposalOf, toAction } from '../sql/assistant-actions.sql.ts';

/** Longer than the deadline of the call that executes it. */
const ABANDONED_MS = 30_000;

export async function confirmAction(app: App, request: ConfirmActionRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!(await findPermissions(app, call)).may({ feature: 'assistant' })) fail('PLAN_UPGRADE_REQUIRED');
  const now = app.clock.now();
  const userId = call.caller.id;
  const id = isUuid(request.id) ? request.id : fail('NOT_FOUND', 'Proposal not found');
  const action = await inTenant(app.db, clinicId, async (tx) => {
    found(await findAction(tx, id, userId), 'Proposal');
    return (await claimAction(tx, id, userId, now, new Date(now.getTime() - ABANDONED_MS))) ?? fail('ASSISTANT_ACTION_CLOSED');
  });
  const proposal = proposalOf(app.keys, action);
  const finish = (end: { status: ActionStatus; failure?: string; resultId?: string }) =>
    inTenant(app.db, clinicId, async (tx) => {
      const changes = { kind: action.kind, status: end.status, ...(end.failure && { failure: end.failure }) };
      await audit(tx, clinicId, call.caller, { action: 'assistant_action.confirmed', entityId: id, changes });
      return finishAction(tx, id, end);
    });
  const resultId = await executeProposal(app, call, id, proposal).catch(async (thrown) => {
    const failure = findReason(thrown) ?? toServiceError(thrown, app.constraints).reason;
    // After a failure the user may confirm again; a refusal is final.
    await finish({ status: failure === 'UNAVAILABLE' || failure === 'INTERNAL' ? 'proposed' : 'failed', failure });
    throw thrown;
  });
  return toAction(app.keys, await finish({ status: 'confirmed', resultId }), now);
}
