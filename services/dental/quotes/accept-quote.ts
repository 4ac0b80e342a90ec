// Records that the patient accepts the newest quote: once, before the quote expires, with a name, a date and optionally a drawn signature. The
// option of the quote becomes the chosen one, with the total of the quote.
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { dateIn, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseName } from '@clinic/lib/formats/person-name.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { signaturePng } from '@clinic/lib/pdf/signature.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { AcceptQuoteRequest } from '@clinic/proto/dental/v1/quote_pb.js';
import { TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../app.ts';
import { publishPlanChange, totalChange } from '../treatment-plans/publish-plan.ts';
import { chooseOption, findOption } from '../treatment-plans/sql/treatment-options.sql.ts';
import { lockPlan, touchPlan } from '../treatment-plans/sql/treatment-plans.sql.ts';
import { isPriced, sumOf } from './quote-rules.ts';
import { findQuote, insertAcceptance, toProto } from './quotes.sql.ts';

export async function acceptQuote(app: App, request: AcceptQuoteRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Treatment plan not found');
  const now = app.clock.now();
  const today = dateIn(clinicOf(call).timezone, now);
  const name = parseName('name', request.name);
  const signature = request.signature || null;
  if (signature !== null && !signaturePng(signature)) invalid('signature', 'must be a PNG that is not blank, as a data URL of at most 200,000 characters');
  const signed_on = request.date ? parseLocalDate('date', request.date) : today;
  if (signed_on > today) invalid('date', 'must not be in the future');
  return idempotent(app.db, call, TreatmentPlanService.method.acceptQuote, request, async (tx) => {
    const { id, status, given_total_cents } = found(await lockPlan(tx, request.id), 'Treatment plan');
    const quote = found(await findQuote(tx, id), 'Quote');
    if (quote.accepted_at) fail('QUOTE_ACCEPTED');
    if (status === 'cancelled') fail('TREATMENT_PLAN_CANCELLED');
    if (!isPriced(quote.lines)) fail('QUOTE_UNPRICED', 'The quote has procedures without a price: set them and create a new quote');
    if (quote.valid_until < today) fail('QUOTE_EXPIRED');
    const option = found(await findOption(tx, id, quote.option_id), 'Treatment option');
    await insertAcceptance(tx, app.keys, quote.id, { name, signature, signed_on }, now);
    if (!option.is_chosen) await chooseOption(tx, option, quote.total_cents === sumOf(quote.lines) ? null : quote.total_cents);
    const plan = await touchPlan(tx, id, now);
    await publishPlanChange(tx, call, plan, { action: 'quote.accepted', entityId: quote.id, changes: totalChange(given_total_cents, plan) });
    return toProto(found(await findQuote(tx, id), 'Quote'), app.keys, today);
  });
}
