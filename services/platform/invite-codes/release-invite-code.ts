// Ends the reservation of a code after a failed registration.
import { asSystem } from '@clinic/lib/db/db.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { ReleaseInviteCodeRequest } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import type { App } from '../app.ts';
import { releaseInviteCode as release } from './invite-codes.sql.ts';

export async function releaseInviteCode(app: App, request: ReleaseInviteCodeRequest) {
  const id = parseUuid('id', request.id);
  const clinicId = parseUuid('clinicId', request.clinicId);
  // As the system: invite codes belong to no clinic.
  await asSystem(app.db, (tx) => release(tx, id, clinicId));
  return {};
}
