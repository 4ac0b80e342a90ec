// Sign-in and sessions. Also the nightly deletion of old sessions, recoveries and throttles.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { ClinicSessionService } from '@clinic/proto/identity/v1/clinic_sessions_pb.js';
import { SessionService } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { completeMfa } from './complete-mfa.ts';
import { endClinicSessions } from './end-clinic-sessions.ts';
import { getMe } from './get-me.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { endOtherSessions, endSession, getSession, listSessions } from './own-sessions.ts';
import { purgeSessions } from './purge-sessions.ts';
import { refreshSession } from './refresh-session.ts';
import { successorContext } from './refresh-tokens.sql.ts';
import { switchUser } from './switch-user.ts';

export const sessions: Module<App> = {
  rpcs: [
    rpcs(SessionService, { login, completeMfa, refreshSession, logout, getMe, switchUser, listSessions, getSession, endSession, endOtherSessions }),
    rpcs(ClinicSessionService, { endClinicSessions }),
  ],
  jobs: (app) => [purgeSessions(app)],
  personal: [
    { table: 'refresh_tokens', secret: ['successor_sealed'] },
    { table: 'session_families' },
    { table: 'known_clients' },
    { table: 'sign_in_throttles', ofClinic: null, why: 'it contains only blind indexes of e-mail addresses and sessions, which are deleted after a day' },
  ],
  encrypted: [
    {
      table: 'refresh_tokens',
      key: ['clinic_id', 'family_id', 'token_hash'],
      column: 'successor_sealed',
      context: ({ clinic_id, token_hash }) => successorContext(clinic_id, token_hash),
    },
  ],
};
