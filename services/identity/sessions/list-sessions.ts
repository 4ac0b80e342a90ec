// The caller's sessions.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListSessionsRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { listOpenSessions, toProto } from './session-families.sql.ts';

export async function listSessions(app: App, _request: ListSessionsRequest, call: Call) {
  const sessions = await listOpenSessions(app.db, clinicOf(call).id, call.caller.id, app.clock.now());
  return { sessions: sessions.map((session) => toProto(session, call.caller.sessionId)) };
}
