// What the mail of a recovery says, at the moment when it is sent.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { open } from '@clinic/lib/crypto.ts';
import { isUuid, readSystem } from '@clinic/lib/db.ts';
import { fail } from '@clinic/lib/errors.ts';
import type { GetRecoveryLinkRequest } from '@clinic/proto/identity/v1/recovery_pb.js';
import type { App } from '../app.ts';
import { tokenContext } from '../seal-contexts.ts';
import { findRecoveryStatement } from '../sql/recoveries.ts';

export async function getRecoveryLink(app: App, request: GetRecoveryLinkRequest) {
  if (!isUuid(request.recoveryId)) fail('NOT_FOUND', 'Recovery not found');
  // As the system: messaging sends mails for all clinics.
  const [recovery] = await readSystem(app.db, findRecoveryStatement, [request.recoveryId, app.clock.now()]);
  if (!recovery?.token_sealed) fail('NOT_FOUND', 'Recovery not found');
  const token = open(app.keys, recovery.token_sealed, tokenContext(recovery.clinic_id, recovery.id));
  return {
    email: recovery.email,
    fullName: recovery.full_name,
    url: `${app.publicUrl}/reset-password#token=${token}`,
    expiresAt: timestampFromDate(recovery.expires_at),
  };
}
