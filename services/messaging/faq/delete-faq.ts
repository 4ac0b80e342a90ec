// Deletes a FAQ entry.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DeleteFaqRequest } from '@clinic/proto/messaging/v1/faq_pb.js';
import type { App } from '../app.ts';
import { deleteFaq as remove } from './faqs.sql.ts';

export async function deleteFaq(app: App, { id }: DeleteFaqRequest, call: Call) {
  const clinic = clinicOf(call);
  return inTenant(app.db, clinic.id, async (tx) => {
    if (!isUuid(id) || !(await remove(tx, id))) fail('NOT_FOUND', 'FAQ not found');
    await audit(tx, clinic.id, call.caller, { action: 'faq.deleted', entityId: id });
    return { message: 'FAQ deleted' };
  });
}
