// What the mail to somebody whose demo request was accepted says. The event itself carries no address and no code.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readSystem } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { GetDemoInvitationRequest } from '@clinic/proto/platform/v1/demo_request_pb.js';
import type { App } from '../app.ts';
import { findInvitationStatement } from './demo-requests.sql.ts';

export async function getDemoInvitation(app: App, request: GetDemoInvitationRequest) {
  const [invitation] = await readSystem(app.db, findInvitationStatement, [parseUuid('id', request.id)]);
  const { email, contact_name, clinic_name, code, expires_at } = found(invitation, 'Invitation');
  return { email, contactName: contact_name, clinicName: clinic_name, inviteCode: code, expiresAt: timestampFromDate(expires_at) };
}
