// The caller's sessions.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetSessionRequest, ListSessionsRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { findSession, listOpenSessions, toProto } from './session-families.sql.ts';

export async function listSessions(app: App, request: ListSessionsRequest, call: Call) {
  const page = parsePage(request, 50, 500);
  const { rows, total } = await listOpenSessions(app.db, clinicOf(call).id, call.caller.id, app.clock.now(), page);
  return { sessions: rows.map((session) => toProto(session, call.caller.sessionId)), total, page: page.page, limit: page.limit };
}

export async function getSession(app: App, request: GetSessionRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Session not found');
  const session = found(await findSession(app.db, clinicOf(call).id, call.caller.id, request.id, app.clock.now()), 'Session');
  return toProto(session, call.caller.sessionId);
}
