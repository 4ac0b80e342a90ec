// Resolves the access of several users in one statement. Every protected request waits for it.
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import type { ResolveAccessOfManyRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { toAccessState } from './access-state.ts';
import { listAccess } from './accounts.sql.ts';
import { parseSubject } from './resolve-access.ts';

const MAX_SUBJECTS = 200;

export async function resolveAccessOfMany(app: App, { subjects }: ResolveAccessOfManyRequest) {
  parseInteger('subjects', subjects.length, 1, MAX_SUBJECTS);
  const accounts = await listAccess(app.db, subjects.map(parseSubject));
  return { answers: accounts.map((account) => (account ? { state: toAccessState(account) } : {})) };
}
