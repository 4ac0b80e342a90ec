// Adds a user under the plan's limit.
import { audit } from '@clinic/lib/audit/audit.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { UserCreatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { type CreateUserRequest, UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { readNewUser } from './read-user.ts';
import { keepUserLimit, othersLocked } from './user-limit.ts';
import { insertUser, toProto } from './users.sql.ts';

export async function createUser(app: App, request: CreateUserRequest, call: Call) {
  const clinic = clinicOf(call);
  const { password, ...wanted } = readNewUser(request);
  if (wanted.app_role === 'admin' && call.caller.role !== 'admin') fail('FORBIDDEN', 'Only an admin may make an admin');
  // Before the transaction: it takes tens of milliseconds, and no lock should wait for it.
  const password_hash = await app.passwords.hash(password);
  return idempotent(app.db, call, UserService.method.createUser, request, async (tx) => {
    const id = v7();
    keepUserLimit(await othersLocked(tx, id));
    const [created] = await Promise.all([
      insertUser(tx, { id, ...wanted, password_hash, registered_clinic: false }, app.clock.now()),
      emit(tx, clinic.id, UserCreatedSchema, { userId: id, appRole: wanted.app_role }),
      audit(tx, clinic.id, call.caller, { action: 'user.created', entityId: id, changes: { app_role: { from: null, to: wanted.app_role } } }),
    ]);
    return toProto(created, app.publicUrl);
  });
}
