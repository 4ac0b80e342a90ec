// Lost passwords.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { RecoveryService } from '@clinic/proto/identity/v1/recovery_pb.js';
import type { App } from '../app.ts';
import { beginRecovery } from './begin-recovery.ts';
import { mailRecovery } from './mail-recovery.ts';
import { purgeSessions } from './purge-sessions.ts';
import { requestPasswordReset } from './request-password-reset.ts';
import { resetPassword } from './reset-password.ts';
import { requestContext, tokenContext } from './seal-contexts.ts';

export const recovery: Module<App> = {
  rpcs: [rpcs(RecoveryService, { requestPasswordReset, resetPassword })],
  jobs: (app) => [beginRecovery(app), mailRecovery(app), purgeSessions(app)],
  personal: [
    { table: 'password_recoveries', secret: ['token_sealed'] },
    { table: 'recovery_requests', ofClinic: null, why: 'nobody knows whose it is before it is worked on, a moment later, and then it is gone' },
  ],
  encrypted: [
    { table: 'password_recoveries', key: ['clinic_id', 'id'], column: 'token_sealed', context: ({ clinic_id, id }) => tokenContext(clinic_id, id) },
    { table: 'recovery_requests', key: ['id'], column: 'email_sealed', context: ({ id }) => requestContext(id) },
  ],
};
