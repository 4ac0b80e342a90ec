// Ends the session of the refresh token (the cookie), and that of the access token, for clients without the cookie.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { LogoutRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { endFamily } from './session-families.sql.ts';
import { endSessionOf } from './sessions.ts';

export async function logout(app: App, { refreshToken, authorization }: LogoutRequest, call: Call) {
  const now = app.clock.now();
  await endSessionOf(app, refreshToken, now);
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  const session = token && (await app.accessTokens.verify(token, now));
  if (session) {
    const { clinicId, userId, sessionId } = session;
    await inTenant(app.db, clinicId, async (tx) => {
      const caller = { ...call.caller, kind: 'user' as const, id: userId };
      if (await endFamily(tx, userId, sessionId, now, 'logout')) await audit(tx, clinicId, caller, { action: 'session.ended', entityId: sessionId });
    });
  }
  return { message: 'Signed out' };
}
