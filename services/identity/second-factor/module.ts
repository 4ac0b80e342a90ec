// The second factor of a sign-in.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { secretContext } from './second-factors.sql.ts';
import { beginMfa, confirmMfa, removeMfa } from './set-up-mfa.ts';

export const secondFactor: Module<App> = {
  rpcs: [rpcs(UserService, { beginMfa, confirmMfa, removeMfa })],
  personal: [
    { table: 'recovery_codes', secret: ['code_hash'] },
    { table: 'second_factors', secret: ['secret_sealed'] },
  ],
  encrypted: [
    {
      table: 'second_factors',
      key: ['clinic_id', 'user_id'],
      column: 'secret_sealed',
      context: ({ clinic_id, user_id }) => secretContext(clinic_id, user_id),
    },
  ],
};
