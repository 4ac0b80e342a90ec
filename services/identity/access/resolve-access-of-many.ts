// The live state of many users and their clinics in a single statement. Every protected request waits for this one.

import { readSystem } from '@clinic/lib/db/db.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { ResolveAccessOfManyRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { toAccessState } from './access-state.ts';
import { findAccessOfManyStatement } from './accounts.sql.ts';

const MOST = 200;

export async function resolveAccessOfMany(app: App, { subjects }: ResolveAccessOfManyRequest) {
  parseInteger('subjects', subjects.length, 1, MOST);
  const clinicIds = subjects.map(({ clinicId }) => parseUuid('clinicId', clinicId));
  const userIds = subjects.map(({ userId }) => parseUuid('userId', userId));
  const sessionIds = subjects.map(({ sessionId }) => (sessionId === '' ? null : parseUuid('sessionId', sessionId)));
  // As the system: they may be of different clinics. Each is looked up by the clinic that the token names.
  const accounts = await readSystem(app.db, findAccessOfManyStatement, [clinicIds, userIds, sessionIds]);
  return { answers: accounts.map((account) => (account.clinic_id === null ? {} : { state: toAccessState(account) })) };
}
