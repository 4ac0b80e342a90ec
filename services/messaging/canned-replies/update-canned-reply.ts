// Changes a canned reply. Absent fields stay unchanged.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateCannedReplyRequest } from '@clinic/proto/messaging/v1/canned_reply_pb.js';
import type { App } from '../app.ts';
import { lockCannedReply, toProto, updateCannedReply as update } from './canned-replies.sql.ts';

export async function updateCannedReply(app: App, request: UpdateCannedReplyRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Canned reply not found');
  return inTenant(app.db, clinic.id, async (tx) => {
    const before = found(await lockCannedReply(tx, request.id), 'Canned reply');
    const fields = { title: parseText('title', request.title ?? before.title, 80), body: parseText('body', request.body ?? before.body, 4096) };
    const after = await update(tx, before.id, fields, app.clock.now());
    await audit(tx, clinic.id, call.caller, { action: 'canned_reply.updated', entityId: after.id, changes: maskChanges(before, after, ['body']) });
    return toProto(after);
  });
}
