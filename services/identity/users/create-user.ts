// Creates a user within the limit of the plan.
import { audit } from '@clinic/lib/audit/audit.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateUserRequest, UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { notify } from '../notices/notices.ts';
import { parseNewUser } from './parse-user.ts';
import { lockOthers, requireUserLimit } from './user-limit.ts';
import { insertUser, toProto } from './users.sql.ts';

export async function createUser(app: App, request: CreateUserRequest, call: Call) {
  const clinic = clinicOf(call);
  const { password, ...wanted } = parseNewUser(request);
  if (wanted.app_role === 'admin' && call.caller.role !== 'admin') fail('FORBIDDEN', 'Only an admin may create an admin');
  // Hashing takes tens of milliseconds, so it precedes the transaction, which holds a lock.
  const password_hash = await app.passwords.hash(password);
  return idempotent(app.db, call, UserService.method.createUser, request, async (tx) => {
    const id = v7();
    requireUserLimit(await lockOthers(tx, id));
    const [created] = await Promise.all([
      insertUser(tx, { id, ...wanted, password_hash, registered_clinic: false }, app.clock.now()),
      notify(tx, 'user_created', { clinicId: clinic.id, userId: id }, app.clock.now()),
      audit(tx, clinic.id, call.caller, { action: 'user.created', entityId: id, changes: { app_role: { from: null, to: wanted.app_role } } }),
    ]);
    return toProto(created, app.publicUrl);
  });
}
