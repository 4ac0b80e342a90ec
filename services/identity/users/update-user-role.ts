// Changes the role of a user.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateUserRoleRequest } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { changeUser } from './change-user.ts';
import { parseRole } from './parse-user.ts';

export async function updateUserRole(app: App, request: UpdateUserRoleRequest, call: Call) {
  return changeUser(app, call, request.id, { app_role: parseRole(request.appRole) });
}
