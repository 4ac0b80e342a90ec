// Creates a FAQ entry.
import { audit } from '@clinic/lib/audit/audit.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateFaqRequest, FaqService } from '@clinic/proto/messaging/v1/faq_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertFaq, toProto } from './faqs.sql.ts';
import { parseFaq } from './parse-faq.ts';

export async function createFaq(app: App, request: CreateFaqRequest, call: Call) {
  const clinic = clinicOf(call);
  const fields = parseFaq({ ...request, isActive: true });
  return idempotent(app.db, call, FaqService.method.createFaq, request, async (tx) => {
    const faq = await insertFaq(tx, v7(), fields, app.clock.now());
    await audit(tx, clinic.id, call.caller, { action: 'faq.created', entityId: faq.id });
    return toProto(faq);
  });
}
