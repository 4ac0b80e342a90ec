// Ends all sessions of the caller except the current one, for example after a device was lost.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { EndOtherSessionsRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { endFamilies } from './session-families.sql.ts';

export async function endOtherSessions(app: App, _request: EndOtherSessionsRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { id, sessionId } = call.caller;
  const ended = await inTenant(app.db, clinicId, async (tx) => {
    const count = await endFamilies(tx, id, 'ended', app.clock.now(), sessionId);
    if (count > 0) await audit(tx, clinicId, call.caller, { action: 'user.other_sessions_ended', entityId: id, changes: { ended: count } });
    return count;
  });
  return { message: `${ended} other sessions have ended` };
}
