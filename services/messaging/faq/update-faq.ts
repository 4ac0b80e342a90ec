// Changes a FAQ entry. Absent fields stay unchanged.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateFaqRequest } from '@clinic/proto/messaging/v1/faq_pb.js';
import type { App } from '../app.ts';
import { lockFaq, toProto, updateFaq as update } from './faqs.sql.ts';
import { parseFaq } from './parse-faq.ts';

export async function updateFaq(app: App, request: UpdateFaqRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'FAQ not found');
  return inTenant(app.db, clinic.id, async (tx) => {
    const before = found(await lockFaq(tx, request.id), 'FAQ');
    const fields = parseFaq({
      category: request.category ?? before.category,
      question: request.question ?? before.question,
      answer: request.answer ?? before.answer,
      keywords: request.keywords?.values ?? before.keywords,
      isActive: request.isActive ?? before.is_active,
    });
    const after = await update(tx, before.id, fields, app.clock.now());
    await audit(tx, clinic.id, call.caller, { action: 'faq.updated', entityId: after.id, changes: maskChanges(before, after, []) });
    return toProto(after);
  });
}
