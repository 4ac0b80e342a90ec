// The live state of a user and the clinic: a single statement, a single round trip.

import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { ResolveAccessRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { toAccessState } from './access-state.ts';
import { findAccessStatement } from './accounts.sql.ts';

export async function resolveAccess(app: App, request: ResolveAccessRequest) {
  const clinicId = parseUuid('clinicId', request.clinicId);
  const userId = parseUuid('userId', request.userId);
  const sessionId = request.sessionId === '' ? null : parseUuid('sessionId', request.sessionId);
  return toAccessState(found((await readTenant(app.db, clinicId, findAccessStatement, [clinicId, userId, sessionId]))[0], 'User'));
}
