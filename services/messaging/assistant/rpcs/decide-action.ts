// Executes or rejects a proposal once, for the user to whom it was shown.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, toServiceError } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { findReason } from '@clinic/lib/rpc/reasons.ts';
import type { ConfirmActionRequest, RejectActionRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { executeProposal } from '../execute-proposal.ts';
import { findPermissions } from '../permissions.ts';
import * as actions from '../sql/assistant-actions.sql.ts';

/** When an execution counts as abandoned: longer than the deadline of the call that executes it. */
const ABANDONED_MS = 30_000;

export async function confirmAction(app: App, { id }: ConfirmActionRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!(await findPermissions(app, call)).may({ feature: 'assistant' })) fail('PLAN_UPGRADE_REQUIRED');
  const now = app.clock.now();
  const action = await inTenant(app.db, clinicId, async (tx) => {
    await getAction(tx, id, call);
    return (await actions.claimAction(tx, id, call.caller.id, now, new Date(now.getTime() - ABANDONED_MS))) ?? fail('ASSISTANT_ACTION_CLOSED');
  });
  const finish = (end: actions.ActionEnd) =>
    inTenant(app.db, clinicId, async (tx) => {
      const changes = { kind: action.kind, status: end.status, ...(end.failure && { failure: end.failure }) };
      await audit(tx, clinicId, call.caller, { action: 'assistant_action.confirmed', entityId: id, changes });
      return actions.finishAction(tx, id, end);
    });
  const resultId = await executeProposal(app, call, id, actions.proposalOf(app.keys, action)).catch(async (thrown) => {
    const failure = findReason(thrown) ?? toServiceError(thrown, app.constraints).reason;
    // After a failure the user may confirm again. A refusal is final.
    await finish({ status: failure === 'UNAVAILABLE' || failure === 'INTERNAL' ? 'proposed' : 'failed', failure });
    throw thrown;
  });
  return actions.toAction(app.keys, found(await finish({ status: 'confirmed', resultId }), 'Proposal'), now);
}

export async function rejectAction(app: App, { id }: RejectActionRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const now = app.clock.now();
  return inTenant(app.db, clinicId, async (tx) => {
    const { kind } = await getAction(tx, id, call);
    const rejected = (await actions.rejectAction(tx, id, call.caller.id, now)) ?? fail('ASSISTANT_ACTION_CLOSED');
    await audit(tx, clinicId, call.caller, { action: 'assistant_action.rejected', entityId: id, changes: { kind } });
    return actions.toAction(app.keys, rejected, now);
  });
}

/** Throws NOT_FOUND if the proposal was shown to another user. */
const getAction = async (tx: TenantTx, id: string, { caller }: Call) => found(isUuid(id) ? await actions.findAction(tx, id, caller.id) : undefined, 'Proposal');
