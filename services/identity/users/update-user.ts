// Updates a user. Only admins may update others.
import { fail } from '@clinic/lib/errors/errors.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateUserRequest } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { changeUser } from './change-user.ts';

export async function updateUser(app: App, request: UpdateUserRequest, call: Call) {
  const { id, fullName, phone, isActive } = request;
  const { caller } = call;
  if (caller.role !== 'admin' && caller.id !== id.toLowerCase()) fail('FORBIDDEN', 'Only an admin may change another user');
  if (caller.role !== 'admin' && isActive !== undefined) fail('FORBIDDEN', 'Only an admin may deactivate or reactivate a user');
  return changeUser(app, call, id, {
    ...(fullName !== undefined && { full_name: parseText('fullName', fullName, 200) }),
    ...(phone !== undefined && { phone: parseOptionalText('phone', phone, 40) }),
    ...(isActive !== undefined && { is_active: isActive }),
  });
}
