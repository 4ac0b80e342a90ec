// Creates a user within the limit of the plan. Without a password the user is invited by mail to choose one.
import { randomBytes } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, ServiceError } from '@clinic/lib/errors/errors.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateUserRequest, type UserSchema, UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { v7 } from 'uuid';
import { findAccount, isEmailTaken } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { createLink } from '../credentials/password-links.ts';
import { requireValidPassword } from '../credentials/password-policy-rules.ts';
import { requesterOf } from '../credentials/passwords.ts';
import { notify } from '../notices/notices.ts';
import { parseNewUser } from './parse-user.ts';
import { lockOthers, requireUserLimit } from './user-limit.ts';
import { insertUser, toProto } from './users.sql.ts';

export async function createUser(app: App, request: CreateUserRequest, call: Call) {
  const clinic = clinicOf(call);
  const { password } = request;
  const wanted = parseNewUser(request, clinic.country);
  if (wanted.app_role === 'admin' && call.caller.role !== 'admin') fail('FORBIDDEN', 'Only an admin may create an admin');
  const admin = await findAccount(app.db, clinic.id, call.caller.id);
  if (password !== undefined) requireValidPassword(password, [wanted.email, wanted.full_name, admin?.clinic_name ?? '']);
  const id = v7();
  const create = (work: (tx: TenantTx) => Promise<MessageInitShape<typeof UserSchema>>) =>
    idempotent(app.db, call, UserService.method.createUser, request, work);
  // A request that will be refused costs no hash. If it repeats a call with the same Idempotency-Key, it gets the first response.
  const refusal = await findRefusal(app, clinic.id, id, wanted.email);
  if (refusal) return create(() => Promise.reject(refusal));
  if (password !== undefined) await app.requireUnbreached(password);
  // Hashing takes tens of milliseconds, so it precedes the transaction, which holds a lock.
  const password_hash = await app.passwords.hash(password ?? randomBytes(32).toString('base64'), requesterOf(call.caller));
  return create(async (tx) => {
    requireUserLimit(await lockOthers(tx, id));
    const now = app.clock.now();
    const [created] = await Promise.all([
      insertUser(tx, { id, ...wanted, password_hash, registered_clinic: false }, now),
      password === undefined ? createLink(app, tx, { clinic_id: clinic.id, user_id: id }, 'invitation', now) : undefined,
      notify(tx, 'user_created', { clinicId: clinic.id, userId: id }, now),
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
