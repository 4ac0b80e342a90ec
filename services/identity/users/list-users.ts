// Lists the users of the clinic by name, and gets one of them.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetUserRequest, ListUsersRequest } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { findUser, listUsersPage, toProto } from './users.sql.ts';

export async function listUsers(app: App, request: ListUsersRequest, call: Call) {
  const page = parsePage(request, 50, 500);
  const { rows, total } = await listUsersPage(app.db, clinicOf(call).id, page);
  return { users: rows.map((user) => toProto(user, app.publicUrl)), total, page: page.page, limit: page.limit };
}

export async function getUser(app: App, { id }: GetUserRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'User not found');
  return toProto(found(await findUser(app.db, clinicOf(call).id, id), 'User'), app.publicUrl);
}
