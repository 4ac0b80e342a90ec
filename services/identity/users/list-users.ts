// The clinic's users by name.

import { readTenant } from '@clinic/lib/db/db.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListUsersRequest } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { listUsersStatement, toProto } from './users.sql.ts';

export async function listUsers(app: App, request: ListUsersRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const found = await readTenant(app.db, id, listUsersStatement, [id, limit, offset]);
  const users = found.filter((user) => user.id !== null).map((user) => toProto(user, app.publicUrl));
  return { users, total: found[0]?.total ?? 0, page, limit };
}
