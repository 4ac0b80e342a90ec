// The newest quote of a treatment plan.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetQuoteRequest } from '@clinic/proto/dental/v1/quote_pb.js';
import type { App } from '../app.ts';
import { findPlan } from '../treatment-plans/sql/treatment-plans.sql.ts';
import { findQuote, toProto } from './quotes.sql.ts';

export async function getQuote(app: App, request: GetQuoteRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Treatment plan not found');
  const clinic = clinicOf(call);
  return inTenant(app.db, clinic.id, async (tx) => {
    const [plan, quote] = await Promise.all([findPlan(tx, request.id), findQuote(tx, request.id)]);
    found(plan, 'Treatment plan');
    return toProto(found(quote, 'Quote'), app.keys, dateIn(clinic.timezone, app.clock.now()));
  });
}
