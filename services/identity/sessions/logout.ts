// Ends the session of a refresh token.
import { asSystem } from '@clinic/lib/db/db.ts';
import type { LogoutRequest } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { endFamilyOf } from './session-families.sql.ts';
import { hashOf } from './sessions.ts';

export async function logout(app: App, request: LogoutRequest) {
  const { refreshToken } = request;
  // As the system, because the token does not name the clinic.
  if (refreshToken !== '') await asSystem(app.db, (tx) => endFamilyOf(tx, hashOf(refreshToken), 'logout', app.clock.now()));
  return { message: 'Signed out' };
}
