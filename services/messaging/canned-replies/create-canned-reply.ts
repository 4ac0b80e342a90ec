// Creates a canned reply.
import { audit } from '@clinic/lib/audit/audit.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { CannedReplyService, type CreateCannedReplyRequest } from '@clinic/proto/messaging/v1/canned_reply_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertCannedReply, toProto } from './canned-replies.sql.ts';

export async function createCannedReply(app: App, request: CreateCannedReplyRequest, call: Call) {
  const clinic = clinicOf(call);
  const fields = { title: parseText('title', request.title, 80), body: parseText('body', request.body, 4096) };
  return idempotent(app.db, call, CannedReplyService.method.createCannedReply, request, async (tx) => {
    const reply = await insertCannedReply(tx, v7(), fields, app.clock.now());
    await audit(tx, clinic.id, call.caller, { action: 'canned_reply.created', entityId: reply.id });
    return toProto(reply);
  });
}
