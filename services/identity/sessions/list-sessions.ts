// The caller's sessions.
import { readTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListSessionsRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { listFamiliesStatement, toProto } from './session-families.sql.ts';

export async function listSessions(app: App, _request: ListSessionsRequest, call: Call) {
  const { id } = clinicOf(call);
  const families = await readTenant(app.db, id, listFamiliesStatement, [id, call.caller.id, app.clock.now(), null]);
  return { sessions: families.map((family) => toProto(family, call.caller.sessionId)) };
}
