// The access check of each request: for one user or several, in one statement and one round trip, or for an integration key.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { found } from '@clinic/lib/errors/errors.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { AccessStateSchema, ResolveAccessOfManyRequest, ResolveAccessRequest, ResolveKeyRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { setUsed } from '../integration-keys/integration-keys.sql.ts';
import { featuresOf, guardsOf, termsOf } from '../plans/plans-rules.ts';
import { type AccessRow, findAccess, listAccess, type Subject } from './accounts.sql.ts';
import { findKeyAccess } from './key-access.sql.ts';

export const resolveAccess = async (app: App, request: ResolveAccessRequest) => toAccessState(found(await findAccess(app.db, parseSubject(request)), 'User'));

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

/** The last use of a key is stored at most once a minute. */
const USE_MS = 60_000;

export async function resolveKey(app: App, { keyHash }: ResolveKeyRequest) {
  const now = app.clock.now();
  const key = await findKeyAccess(app.db, Buffer.from(keyHash), now);
  if (!key) return {};
  if (!key.last_used_at || now.getTime() - key.last_used_at.getTime() >= USE_MS) await setUsed(app.db, key.clinic_id, key.key_id, now);
  return { key: { id: key.key_id, clinicId: key.clinic_id, scopes: key.scopes, state: toAccessState(key) } };
}

function toAccessState(account: Omit<AccessRow, 'user_id' | 'email' | 'full_name'>): MessageInitShape<typeof AccessStateSchema> {
  return {
    userActive: account.user_active,
    appRole: account.app_role,
    clinicActive: account.clinic_active,
    plan: account.subscription_plan,
    subscriptionExpiresAt: toTimestamp(account.subscription_expires_at),
    clinicType: account.clinic_type,
    timezone: account.timezone,
    country: account.country,
    features: featuresOf(account.subscription_plan, account.switched_off),
    doctorLimit: termsOf(account.subscription_plan).doctors,
    switchedOff: featuresOf(account.subscription_plan, []).filter((feature) => account.switched_off.includes(feature)),
    sessionEnded: account.session_ended,
    mfaMissing: account.mfa_missing,
    guards: guardsOf(account.switched_off),
  };
}
