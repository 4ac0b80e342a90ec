// One of the caller's sessions.
import { readTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetSessionRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { listFamiliesStatement, toProto } from './session-families.sql.ts';

export async function getSession(app: App, request: GetSessionRequest, call: Call) {
  const { id } = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Session not found');
  const [family] = await readTenant(app.db, id, listFamiliesStatement, [id, call.caller.id, app.clock.now(), request.id]);
  return toProto(found(family, 'Session'), call.caller.sessionId);
}
