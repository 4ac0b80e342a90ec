// The content of the mail about an accepted demo request. The event DemoAccepted contains neither the address nor the code.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { found } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { GetDemoInvitationRequest } from '@clinic/proto/platform/v1/demo_request_pb.js';
import type { App } from '../app.ts';
import { findInvitation } from './demo-requests.sql.ts';

export async function getDemoInvitation(app: App, request: GetDemoInvitationRequest) {
  const { email, contact_name, clinic_name, code, expires_at } = found(await findInvitation(app.db, parseUuid('id', request.id)), 'Invitation');
  return { email, contactName: contact_name, clinicName: clinic_name, inviteCode: code, expiresAt: timestampFromDate(expires_at) };
}
