// The caller's sessions: lists them, and ends them, so that their refresh tokens and access tokens become invalid.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { counted } from '@clinic/lib/formats/counted.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { EndOtherSessionsRequest, EndSessionRequest, GetSessionRequest, ListSessionsRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { confirmSignIn } from '../credentials/confirm-sign-in.ts';
import { endFamilies, endFamily, findSession, listOpenSessions, toProto } from './session-families.sql.ts';

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

export async function endSession(app: App, request: EndSessionRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { id } = request;
  if (!isUuid(id)) fail('NOT_FOUND', 'Session not found');
  if (id !== call.caller.sessionId) {
    found(await findSession(app.db, clinicId, call.caller.id, id, app.clock.now()), 'Session');
    await confirmSignIn(app, request.password, call);
  }
  await inTenant(app.db, clinicId, async (tx) => {
    if (!(await endFamily(tx, call.caller.id, id, app.clock.now(), 'ended'))) fail('NOT_FOUND', 'Session not found');
    await audit(tx, clinicId, call.caller, { action: 'session.ended', entityId: id });
  });
  return { message: 'The session has ended' };
}

/** Ends all sessions except the current one, for example after a device was lost. */
export async function endOtherSessions(app: App, request: EndOtherSessionsRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  await confirmSignIn(app, request.password, call);
  const { id, sessionId } = call.caller;
  const ended = await inTenant(app.db, clinicId, async (tx) => {
    const count = await endFamilies(tx, id, 'ended', app.clock.now(), sessionId);
    if (count > 0) await audit(tx, clinicId, call.caller, { action: 'user.other_sessions_ended', entityId: id, changes: { ended: count } });
    return count;
  });
  return { message: `${counted(ended, 'other session')} ended` };
}
