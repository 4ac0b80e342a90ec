// The access check of each request, for one user or several, in one statement and one round trip.
import { found } from '@clinic/lib/errors/errors.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { ResolveAccessOfManyRequest, ResolveAccessRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { toAccessState } from './access-state.ts';
import { findAccess, listAccess, type Subject } from './accounts.sql.ts';

export async function resolveAccess(app: App, request: ResolveAccessRequest) {
  return toAccessState(found(await findAccess(app.db, parseSubject(request)), 'User'));
}

const MAX_SUBJECTS = 200;

export async function resolveAccessOfMany(app: App, { subjects }: ResolveAccessOfManyRequest) {
  parseInteger('subjects', subjects.length, 1, MAX_SUBJECTS);
  const accounts = await listAccess(app.db, subjects.map(parseSubject));
  return { answers: accounts.map((account) => (account ? { state: toAccessState(account) } : {})) };
}

function parseSubject({ clinicId, userId, sessionId }: Pick<ResolveAccessRequest, 'clinicId' | 'userId' | 'sessionId'>): Subject {
  return {
    clinicId: parseUuid('clinicId', clinicId),
    userId: parseUuid('userId', userId),
    sessionId: sessionId === '' ? null : parseUuid('sessionId', sessionId),
  };
}
