// All invite codes, for operators.
import type { ListInviteCodesRequest } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import type { App } from '../app.ts';
import { listAllInviteCodes, toProto } from './invite-codes.sql.ts';

export const listInviteCodes = async (app: App, _request: ListInviteCodesRequest) => ({ inviteCodes: (await listAllInviteCodes(app.db)).map(toProto) });
