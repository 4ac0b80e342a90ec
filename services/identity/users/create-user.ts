// Creates a user within the limit of the plan.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, ServiceError } from '@clinic/lib/errors/errors.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateUserRequest, type UserSchema, UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { v7 } from 'uuid';
import { isEmailTaken } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { hasherOf } from '../credentials/passwords.ts';
import { notify } from '../notices/notices.ts';
import { parseNewUser } from './parse-user.ts';
import { lockOthers, requireUserLimit } from './user-limit.ts';
import { insertUser, toProto } from './users.sql.ts';

export async function createUser(app: App, request: CreateUserRequest, call: Call) {
  const clinic = clinicOf(call);
  const { password, ...wanted } = parseNewUser(request);
  if (wanted.app_role === 'admin' && call.caller.role !== 'admin') fail('FORBIDDEN', 'Only an admin may create an admin');
  const id = v7();
  const create = (work: (tx: TenantTx) => Promise<MessageInitShape<typeof UserSchema>>) =>
    idempotent(app.db, call, UserService.method.createUser, request, work);
  // What is refused without a hash costs none. A repeated call with the same Idempotency-Key still gets the first response.
  const refusal = await findRefusal(app, clinic.id, id, wanted.email);
  if (refusal) return create(() => Promise.reject(refusal));
  await app.requireUnbreached(password);
  // Hashing takes tens of milliseconds, so it precedes the transaction, which holds a lock.
  const password_hash = await app.passwords.hash(password, hasherOf(call.caller));
  return create(async (tx) => {
    requireUserLimit(await lockOthers(tx, id));
    const [created] = await Promise.all([
      insertUser(tx, { id, ...wanted, password_hash, registered_clinic: false }, app.clock.now()),
      notify(tx, 'user_created', { clinicId: clinic.id, userId: id }, app.clock.now()),
      audit(tx, clinic.id, call.caller, { action: 'user.created', entityId: id, changes: { app_role: { from: null, to: wanted.app_role } } }),
    ]);
    return toProto(created, app.publicUrl);
  });
}

async function findRefusal(app: App, clinicId: string, id: string, email: string): Promise<ServiceError | undefined> {
  try {
    requireUserLimit(await inTenant(app.db, clinicId, (tx) => lockOthers(tx, id)));
    return (await isEmailTaken(app.db, email)) ? new ServiceError('EMAIL_TAKEN') : undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
