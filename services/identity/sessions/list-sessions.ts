// The caller's sessions.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetSessionRequest, ListSessionsRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { findSession, listOpenSessions, toProto } from './session-families.sql.ts';

export async function listSessions(app: App, _request: ListSessionsRequest, call: Call) {
  const sessions = await listOpenSessions(app.db, clinicOf(call).id, call.caller.id, app.clock.now());
  return { sessions: sessions.map((session) => toProto(session, call.caller.sessionId)) };
}

export async function getSession(app: App, request: GetSessionRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Session not found');
  const session = found(await findSession(app.db, clinicOf(call).id, call.caller.id, request.id, app.clock.now()), 'Session');
  return toProto(session, call.caller.sessionId);
}
