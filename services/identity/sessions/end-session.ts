// Ends one of the caller's sessions: its refresh tokens and access tokens become invalid.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { EndSessionRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { endFamily } from './session-families.sql.ts';

export async function endSession(app: App, request: EndSessionRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { id } = request;
  if (!isUuid(id)) fail('NOT_FOUND', 'Session not found');
  await inTenant(app.db, clinicId, async (tx) => {
    if (!(await endFamily(tx, call.caller.id, id, app.clock.now()))) fail('NOT_FOUND', 'Session not found');
    await audit(tx, clinicId, call.caller, { action: 'session.ended', entityId: id });
  });
  return { message: 'The session has ended' };
}
