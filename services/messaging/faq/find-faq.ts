// Finds the FAQ entry that answers a message best.
import { parseText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { FindFaqRequest } from '@clinic/proto/messaging/v1/faq_pb.js';
import type { App } from '../app.ts';
import { bestFaq } from './faq-match-rules.ts';
import { listActiveFaqsOf, toProto } from './faqs.sql.ts';

export async function findFaq(app: App, request: FindFaqRequest, call: Call) {
  const { id } = clinicOf(call);
  const message = parseText('message', request.message, 4096);
  const faqs = await listActiveFaqsOf(app.db, id);
  const best = bestFaq(faqs, message);
  return { faq: best && toProto(best) };
}
