// Creates a numbered quote from the current steps and prices of an option.
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { addDays, dateIn, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { CreateQuoteRequest } from '@clinic/proto/dental/v1/quote_pb.js';
import { TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { takeNumber } from '../documents/counters.sql.ts';
import { getPlanDetail } from '../treatment-plans/plan-detail.ts';
import { publishPlanChange } from '../treatment-plans/publish-plan.ts';
import { lockPlan, touchPlan } from '../treatment-plans/sql/treatment-plans.sql.ts';
import { isPriced, QUOTE_DAYS, quoteLines, sumOf, unpricedSteps } from './quote-rules.ts';
import { findQuote, insertQuote, toProto } from './quotes.sql.ts';

export async function createQuote(app: App, request: CreateQuoteRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Treatment plan not found');
  const now = app.clock.now();
  const today = dateIn(clinicOf(call).timezone, now);
  const wanted = request.optionId ? parseUuid('option_id', request.optionId) : undefined;
  const valid_until = request.validUntil ? parseLocalDate('valid_until', request.validUntil) : addDays(today, QUOTE_DAYS);
  return idempotent(app.db, call, TreatmentPlanService.method.createQuote, request, async (tx) => {
    if (valid_until < today) invalid('valid_until', 'must not be in the past');
    if (found(await lockPlan(tx, request.id), 'Treatment plan').status === 'cancelled') fail('TREATMENT_PLAN_CANCELLED');
    const { plan, options } = await getPlanDetail(tx, request.id);
    const named = options.find((one) => (wanted === undefined ? one.is_chosen : one.id === wanted));
    const option = found(named, 'Treatment option');
    const lines = quoteLines(option.steps);
    if (lines.length === 0) fail('QUOTE_EMPTY');
    if (!isPriced(lines)) fail('QUOTE_UNPRICED', undefined, unpricedSteps(option.steps));
    const id = v7();
    await insertQuote(tx, {
      id,
      treatment_plan_id: plan.id,
      option_id: option.id,
      number: await takeNumber(tx, 'quote'),
      title: plan.title,
      option_name: option.name,
      lines,
      total_cents: option.is_chosen ? plan.estimated_total_cents : sumOf(lines),
      valid_until,
      created_at: now,
    });
    await publishPlanChange(tx, call, await touchPlan(tx, plan.id, now), { action: 'quote.created', entityId: id });
    return toProto(found(await findQuote(tx, plan.id), 'Quote'), app.keys, today);
  });
}
