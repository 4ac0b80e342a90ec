// The RPCs of canned replies.
import { audit, isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import {
  CannedReplyService,
  type CreateCannedReplyRequest,
  type DeleteCannedReplyRequest,
  type ListCannedRepliesRequest,
  type UpdateCannedReplyRequest,
} from '@clinic/proto/messaging/v1/canned_reply_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import * as replies from './canned-replies.sql.ts';

/** By title. */
export async function listCannedReplies(app: App, _request: ListCannedRepliesRequest, call: Call) {
  return { cannedReplies: (await replies.listCannedReplies(app.db, clinicOf(call).id)).map(toFields) };
}

const parseFields = ({ title, body }: { title: string; body: string }) => ({ title: parseText('title', title, 80), body: parseText('body', body, 4096) });

export async function createCannedReply(app: App, request: CreateCannedReplyRequest, call: Call) {
  const fields = parseFields(request);
  return idempotent(app.db, call, CannedReplyService.method.createCannedReply, request, async (tx) => {
    const reply = await replies.insertCannedReply(tx, v7(), fields, app.clock.now());
    await audit(tx, clinicOf(call).id, call.caller, { action: 'canned_reply.created', entityId: reply.id });
    return toFields(reply);
  });
}

/** Absent fields stay unchanged. */
export async function updateCannedReply(app: App, { id, title, body }: UpdateCannedReplyRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(id)) fail('NOT_FOUND', 'Canned reply not found');
  return inTenant(app.db, clinic.id, async (tx) => {
    const before = found(await replies.lockCannedReply(tx, id), 'Canned reply');
    const fields = parseFields({ title: title ?? before.title, body: body ?? before.body });
    if (isUnchanged(before, fields)) return toFields(before);
    const after = await replies.updateCannedReply(tx, id, fields, app.clock.now());
    await audit(tx, clinic.id, call.caller, { action: 'canned_reply.updated', entityId: id, changes: maskChanges(before, after, ['body']) });
    return toFields(after);
  });
}

export async function deleteCannedReply(app: App, { id }: DeleteCannedReplyRequest, call: Call) {
  const clinic = clinicOf(call);
  return inTenant(app.db, clinic.id, async (tx) => {
    if (!isUuid(id) || !(await replies.deleteCannedReply(tx, id))) fail('NOT_FOUND', 'Canned reply not found');
    await audit(tx, clinic.id, call.caller, { action: 'canned_reply.deleted', entityId: id });
    return { message: 'Canned reply deleted' };
  });
}
