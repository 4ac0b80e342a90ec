// Canned replies of the clinic, by title.
import { readTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListCannedRepliesRequest } from '@clinic/proto/messaging/v1/canned_reply_pb.js';
import type { App } from '../app.ts';
import { listCannedRepliesStatement, toProto } from './canned-replies.sql.ts';

export async function listCannedReplies(app: App, _request: ListCannedRepliesRequest, call: Call) {
  const { id } = clinicOf(call);
  return { cannedReplies: (await readTenant(app.db, id, listCannedRepliesStatement, [id])).map(toProto) };
}
