// New passwords: by a mailed link, or with the current one.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { RecoveryService } from '@clinic/proto/identity/v1/recovery_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { requestContext, tokenContext } from '../credentials/recoveries.sql.ts';
import { beginRecovery } from './begin-recovery.ts';
import { changePassword } from './change-password.ts';
import { mailRecovery } from './mail-recovery.ts';
import { requestPasswordReset } from './request-password-reset.ts';
import { resetPassword } from './reset-password.ts';

export const recovery: Module<App> = {
  rpcs: [rpcs(RecoveryService, { requestPasswordReset, resetPassword }), rpcs(UserService, { changePassword })],
  jobs: (app) => [beginRecovery(app), mailRecovery(app)],
  personal: [
    { table: 'password_recoveries', secret: ['token_sealed'] },
    { table: 'recovery_requests', ofClinic: null, why: 'its clinic is not known until it is processed, a moment later, and then it is deleted' },
  ],
  encrypted: [
    { table: 'password_recoveries', key: ['clinic_id', 'id'], column: 'token_sealed', context: ({ clinic_id, id }) => tokenContext(clinic_id, id) },
    { table: 'recovery_requests', key: ['id'], column: 'email_sealed', context: ({ id }) => requestContext(id) },
  ],
};
