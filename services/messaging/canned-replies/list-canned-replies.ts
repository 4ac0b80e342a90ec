// Lists the canned replies of a clinic by title.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListCannedRepliesRequest } from '@clinic/proto/messaging/v1/canned_reply_pb.js';
import type { App } from '../app.ts';
import { listCannedReplies as list, toProto } from './canned-replies.sql.ts';

export async function listCannedReplies(app: App, _request: ListCannedRepliesRequest, call: Call) {
  const { id } = clinicOf(call);
  return { cannedReplies: (await list(app.db, id)).map(toProto) };
}
