// The users of the clinic, ordered by name.
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListUsersRequest } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { listUsersPage, toProto } from './users.sql.ts';

export async function listUsers(app: App, request: ListUsersRequest, call: Call) {
  const page = parsePage(request, 50, 500);
  const { rows, total } = await listUsersPage(app.db, clinicOf(call).id, page);
  return { users: rows.map((user) => toProto(user, app.publicUrl)), total, page: page.page, limit: page.limit };
}
