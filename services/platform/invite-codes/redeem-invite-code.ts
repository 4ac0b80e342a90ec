// Marks a code as used by the clinic that was registered with it.
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { RedeemInviteCodeRequest } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import type { App } from '../app.ts';
import { findInviteCode, markInviteCodeUsed } from './invite-codes.sql.ts';

export async function redeemInviteCode(app: App, request: RedeemInviteCodeRequest) {
  const id = parseUuid('id', request.id);
  const clinicId = parseUuid('clinicId', request.clinicId);
  // As the system: invite codes belong to no clinic.
  await asSystem(app.db, async (tx) => {
    if (await markInviteCodeUsed(tx, id, clinicId, app.clock.now())) return;
    found(await findInviteCode(tx, id), 'Invite code');
    fail('INVITE_CODE_USED');
  });
  return {};
}
