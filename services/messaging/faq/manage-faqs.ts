// The RPCs of FAQ entries.
import { audit, isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import {
  type CreateFaqRequest,
  type DeleteFaqRequest,
  FaqService,
  type FindFaqRequest,
  type ListFaqsRequest,
  type UpdateFaqRequest,
} from '@clinic/proto/messaging/v1/faq_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { bestFaq } from './faq-match-rules.ts';
import * as faqs from './faqs.sql.ts';

const CATEGORIES = ['parking', 'prices', 'payment', 'hours', 'general'] as const;

/** Lists the active entries. */
export async function listFaqs(app: App, _request: ListFaqsRequest, call: Call) {
  return { faqs: (await faqs.listActiveFaqsOf(app.db, clinicOf(call).id)).map(toFields) };
}

/** Finds the entry that best answers a message. */
export async function findFaq(app: App, request: FindFaqRequest, call: Call) {
  const message = parseText('message', request.message, 4096);
  const best = bestFaq(await faqs.listActiveFaqsOf(app.db, clinicOf(call).id), message);
  return { faq: best && toFields(best) };
}

export async function createFaq(app: App, request: CreateFaqRequest, call: Call) {
  const fields = parseFaq({ ...request, is_active: true });
  return idempotent(app.db, call, FaqService.method.createFaq, request, async (tx) => {
    const faq = await faqs.insertFaq(tx, v7(), fields, app.clock.now());
    await audit(tx, clinicOf(call).id, call.caller, { action: 'faq.created', entityId: faq.id });
    return toFields(faq);
  });
}

/** Absent fields stay unchanged. */
export async function updateFaq(app: App, request: UpdateFaqRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'FAQ not found');
  return inTenant(app.db, clinic.id, async (tx) => {
    const before = found(await faqs.lockFaq(tx, request.id), 'FAQ');
    const fields = parseFaq({
      category: request.category ?? before.category,
      question: request.question ?? before.question,
      answer: request.answer ?? before.answer,
      keywords: request.keywords?.values ?? before.keywords,
      is_active: request.isActive ?? before.is_active,
    });
    if (isUnchanged(before, fields)) return toFields(before);
    const after = await faqs.updateFaq(tx, before.id, fields, app.clock.now());
    await audit(tx, clinic.id, call.caller, { action: 'faq.updated', entityId: after.id, changes: maskChanges(before, after, []) });
    return toFields(after);
  });
}

export async function deleteFaq(app: App, { id }: DeleteFaqRequest, call: Call) {
  const clinic = clinicOf(call);
  return inTenant(app.db, clinic.id, async (tx) => {
    if (!isUuid(id) || !(await faqs.deleteFaq(tx, id))) fail('NOT_FOUND', 'FAQ not found');
    await audit(tx, clinic.id, call.caller, { action: 'faq.deleted', entityId: id });
    return { message: 'FAQ deleted' };
  });
}

function parseFaq({ category, question, answer, keywords, is_active }: faqs.FaqFields): faqs.FaqFields {
  if (keywords.length > 30) invalid('keywords', 'must have at most 30 items');
  return {
    category: parseOneOf('category', category, CATEGORIES),
    question: parseText('question', question, 300),
    answer: parseText('answer', answer, 1000),
    keywords: normaliseKeywords(keywords.map((keyword, index) => parseText(`keywords.${index}`, keyword, 60))),
    is_active,
  };
}

/** Converts keywords to lower case and single spaces, and drops those that differ from an earlier one only by accents or by punctuation around words. */
function normaliseKeywords(keywords: readonly string[]): string[] {
  const byMeaning = new Map<string, string>();
  for (const keyword of keywords) {
    const text = keyword.trim().replaceAll(/\s+/g, ' ').toLowerCase().normalize('NFC');
    const meaning = foldPhrase(text) || text; // symbols, such as $ and €, have no words
    if (text !== '' && !byMeaning.has(meaning)) byMeaning.set(meaning, text);
  }
  return [...byMeaning.values()];
}
