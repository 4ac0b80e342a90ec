// Exchanges a refresh token for a new one. The row lock on the family serialises concurrent requests.
import { audit } from '@clinic/lib/audit/audit.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { RefreshSessionRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { hashOf, newToken } from '../credentials/tokens.ts';
import { decideRefresh } from './refresh-rules.ts';
import { findRefreshToken, insertRefreshToken, rotateRefreshToken, successorContext } from './refresh-tokens.sql.ts';
import { endFamilyOf, type FamilyRow, lockFamilyOf, touchFamily } from './session-families.sql.ts';
import { toSession } from './sessions.ts';

export async function refreshSession(app: App, request: RefreshSessionRequest, call: Call) {
  const now = app.clock.now();
  const hash = hashOf(request.refreshToken);
  // As the system, because the token does not name the clinic. When the family was ended because the token was reused, the
  // transaction returns undefined instead of throwing, so that it commits.
  const renewed = await asSystem(app.db, async (tx) => {
    const family = await lockFamilyOf(tx, hash);
    if (!family || family.ended_at || family.expires_at <= now) return undefined;
    if (!family.user_active) return void (await endFamilyOf(tx, hash, 'user_inactive', now));
    if (!family.clinic_active) fail('CLINIC_SUSPENDED');
    const token = await successorOf(app, tx, family, hash, now);
    if (token !== undefined) {
      return { family, token, expiresAt: await touchFamily(tx, family, call.caller.ip, now) };
    }
    const caller = { ...call.caller, kind: 'user' as const, id: family.user_id };
    await audit(tx, family.clinic_id, caller, { action: 'session.reused_token_refused', entityId: family.family_id });
    await endFamilyOf(tx, hash, 'reuse', now);
    return undefined;
  });
  if (!renewed) fail('INVALID_REFRESH_TOKEN');
  const { family, token, expiresAt } = renewed;
  return toSession(app, family, { token, familyId: family.family_id, expiresAt, byPin: family.by_pin }, now);
}

/** The next token, or the same one if the request is repeated within the grace period; undefined if the token was reused. */
async function successorOf(app: App, tx: SystemTx, family: FamilyRow, hash: Buffer, now: Date): Promise<string | undefined> {
  const context = successorContext(family.clinic_id, hash);
  const token = (await findRefreshToken(tx, hash)) ?? fail('INVALID_REFRESH_TOKEN');
  const decision = decideRefresh(token, now);
  if (decision === 'reused') return undefined;
  if (decision === 'repeat') return token.successor_sealed ? decrypt(app.keys, token.successor_sealed, context) : undefined;
  const successor = newToken();
  await Promise.all([
    insertRefreshToken(tx, { clinic_id: family.clinic_id, family_id: family.family_id, hash: successor.hash }, now),
    rotateRefreshToken(tx, hash, { hash: successor.hash, ciphertext: encrypt(app.keys, successor.token, context) }, now),
  ]);
  return successor.token;
}
