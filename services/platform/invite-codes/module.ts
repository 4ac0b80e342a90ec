// Invite codes, with which clinics register.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import type { App } from '../app.ts';
import { createInviteCode } from './create-invite-code.ts';
import { listInviteCodes } from './list-invite-codes.ts';
import { redeemInviteCode, releaseInviteCode, reserveInviteCode } from './reserve-invite-code.ts';
import { revokeInviteCode } from './revoke-invite-code.ts';

export const inviteCodes: Module<App> = {
  rpcs: [rpcs(InviteCodeService, { createInviteCode, listInviteCodes, revokeInviteCode, reserveInviteCode, redeemInviteCode, releaseInviteCode })],
  personal: [{ table: 'invite_codes', ofClinic: 'used_by_clinic_id = $1', withClinic: { email: 'null', notes: 'null' } }],
};
