// Ends the session of a refresh token, or of an access token, which a client without the cookie has.
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { LogoutRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { hashOf } from '../credentials/tokens.ts';
import { endFamily, endFamilyOf } from './session-families.sql.ts';

export async function logout(app: App, { refreshToken, authorization }: LogoutRequest, call: Call) {
  const now = app.clock.now();
  // As the system, because the token does not name the clinic.
  if (refreshToken !== '') await asSystem(app.db, (tx) => endFamilyOf(tx, hashOf(refreshToken), 'logout', now));
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  const named = token && (await app.accessTokens.read(token, now));
  if (named) {
    const { clinicId, userId, sessionId } = named;
    await inTenant(app.db, clinicId, async (tx) => {
      const caller = { ...call.caller, kind: 'user' as const, id: userId };
      if (await endFamily(tx, userId, sessionId, now, 'logout')) await audit(tx, clinicId, caller, { action: 'session.ended', entityId: sessionId });
    });
  }
  return { message: 'Signed out' };
}
