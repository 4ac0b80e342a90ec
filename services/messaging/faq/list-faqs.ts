// Lists the active FAQ entries of a clinic.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListFaqsRequest } from '@clinic/proto/messaging/v1/faq_pb.js';
import type { App } from '../app.ts';
import { listActiveFaqsOf, toProto } from './faqs.sql.ts';

export async function listFaqs(app: App, _request: ListFaqsRequest, call: Call) {
  const { id } = clinicOf(call);
  return { faqs: (await listActiveFaqsOf(app.db, id)).map(toProto) };
}
