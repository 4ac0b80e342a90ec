// All invite codes, for the platform's operators.
import { readSystem } from '@clinic/lib/db/db.ts';
import type { ListInviteCodesRequest } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import type { App } from '../app.ts';
import { listInviteCodesStatement, toProto } from './invite-codes.sql.ts';

export async function listInviteCodes(app: App, _request: ListInviteCodesRequest) {
  return { inviteCodes: (await readSystem(app.db, listInviteCodesStatement, [])).map(toProto) };
}
