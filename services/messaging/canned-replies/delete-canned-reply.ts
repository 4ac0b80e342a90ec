// Deletes a canned reply.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DeleteCannedReplyRequest } from '@clinic/proto/messaging/v1/canned_reply_pb.js';
import type { App } from '../app.ts';
import { deleteCannedReply as remove } from './canned-replies.sql.ts';

export async function deleteCannedReply(app: App, { id }: DeleteCannedReplyRequest, call: Call) {
  const clinic = clinicOf(call);
  return inTenant(app.db, clinic.id, async (tx) => {
    if (!isUuid(id) || !(await remove(tx, id))) fail('NOT_FOUND', 'Canned reply not found');
    await audit(tx, clinic.id, call.caller, { action: 'canned_reply.deleted', entityId: id });
    return { message: 'Canned reply deleted' };
  });
}
