// Resolves what a user may do now, in one statement and one round trip.
import { found } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { ResolveAccessRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { toAccessState } from './access-state.ts';
import { findAccess, type Subject } from './accounts.sql.ts';

export async function resolveAccess(app: App, request: ResolveAccessRequest) {
  return toAccessState(found(await findAccess(app.db, parseSubject(request)), 'User'));
}

export function parseSubject({ clinicId, userId, sessionId }: Pick<ResolveAccessRequest, 'clinicId' | 'userId' | 'sessionId'>): Subject {
  return {
    clinicId: parseUuid('clinicId', clinicId),
    userId: parseUuid('userId', userId),
    sessionId: sessionId === '' ? null : parseUuid('sessionId', sessionId),
  };
}
