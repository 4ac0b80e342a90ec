// The access check of a request with an integration key.
import type { ResolveKeyRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { setUsed } from '../integration-keys/integration-keys.sql.ts';
import { toAccessState } from './access-state.ts';
import { findKeyAccess } from './key-access.sql.ts';

/** Uses are stored to the minute. */
const USE_MS = 60_000;

export async function resolveKey(app: App, { keyHash }: ResolveKeyRequest) {
  const now = app.clock.now();
  const key = await findKeyAccess(app.db, Buffer.from(keyHash), now);
  if (!key) return {};
  if (!key.last_used_at || now.getTime() - key.last_used_at.getTime() >= USE_MS) await setUsed(app.db, key.clinic_id, key.key_id, now);
  return { key: { id: key.key_id, clinicId: key.clinic_id, scopes: key.scopes, state: toAccessState(key) } };
}
