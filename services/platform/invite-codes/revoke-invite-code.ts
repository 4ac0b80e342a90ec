// An operator revokes an unused code. Revoking it again changes nothing.
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid, NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { RevokeInviteCodeRequest } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import type { App } from '../app.ts';
import { findInviteCode, revokeInviteCode as revoke } from './invite-codes.sql.ts';

export async function revokeInviteCode(app: App, { id }: RevokeInviteCodeRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Invite code not found');
  // As the system: invite codes belong to no clinic.
  await asSystem(app.db, async (tx) => {
    const now = app.clock.now();
    const revoked = await revoke(tx, id, now);
    if (!revoked) {
      found(await findInviteCode(tx, id), 'Invite code');
      fail('INVITE_CODE_USED', 'The invite code is used, or reserved by a registration in progress');
    }
    if (revoked.revoked_at?.getTime() !== now.getTime()) return; // it was revoked before
    await audit(tx, NO_CLINIC, call.caller, { action: 'invite_code.revoked', entityId: id });
  });
  return { message: 'Invite code revoked' };
}
