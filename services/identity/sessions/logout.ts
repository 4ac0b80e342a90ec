// Ends the session of the refresh token (the cookie), and that of the access token, for clients without the cookie.
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem, inTenant, type Tx } from '@clinic/lib/db/db.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { LogoutRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { hashOf } from '../credentials/tokens.ts';
import { endFamily, endFamilyOf } from './session-families.sql.ts';

export async function logout(app: App, { refreshToken, authorization }: LogoutRequest, call: Call) {
  const now = app.clock.now();
  const record = (tx: Tx, clinicId: string, userId: string, sessionId: string) =>
    audit(tx, clinicId, { ...call.caller, kind: 'user', id: userId }, { action: 'session.ended', entityId: sessionId });
  // As the system, because the refresh token does not name the clinic.
  if (refreshToken !== '')
    await asSystem(app.db, async (tx) => {
      const ended = await endFamilyOf(tx, hashOf(refreshToken), 'logout', now);
      if (ended) await record(tx, ended.clinic_id, ended.user_id, ended.id);
    });
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  const session = token && (await app.accessTokens.verify(token, now));
  if (session) {
    const { clinicId, userId, sessionId } = session;
    await inTenant(app.db, clinicId, async (tx) => {
      if (await endFamily(tx, userId, sessionId, now, 'logout')) await record(tx, clinicId, userId, sessionId);
    });
  }
  return { message: 'Signed out' };
}
