// Questions of patients with a stored answer.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { FaqService } from '@clinic/proto/messaging/v1/faq_pb.js';
import type { App } from '../app.ts';
import { createFaq, deleteFaq, findFaq, listFaqs, updateFaq } from './manage-faqs.ts';

export const faq: Module<App> = {
  rpcs: [rpcs(FaqService, { listFaqs, findFaq, createFaq, updateFaq, deleteFaq })],
  personal: [{ table: 'faqs' }],
};
