// The estimate as a PDF: the newest quote, or, without a quote, the current treatment plan.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { signaturePng } from '@clinic/lib/pdf/signature.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetEstimateRequest } from '@clinic/proto/dental/v1/quote_pb.js';
import type { App } from '../app.ts';
import { getPatientOfRecord } from '../patients/find-patients.ts';
import { chosenOf, getPlanDetail, type PlanDetail } from '../treatment-plans/plan-detail.ts';
import { drawEstimate, type Estimate } from './estimate.ts';
import { isPriced, quoteLines, sumOf } from './quote-rules.ts';
import { decryptAcceptance, findQuote, type QuoteRow } from './quotes.sql.ts';

export async function getEstimate(app: App, request: GetEstimateRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Treatment plan not found');
  const { id, timezone } = clinicOf(call);
  const [detail, quote] = await inTenant(app.db, id, (tx) => Promise.all([getPlanDetail(tx, request.id), findQuote(tx, request.id)]));
  const options = callAs(call.caller);
  const [clinic, patient] = await Promise.all([app.clinicProfile.getClinicProfile({}, options), getPatientOfRecord(app, options, detail.plan.patient_id)]);
  const parties = { clinic, patient: patient.fullName };
  return drawEstimate({ ...parties, ...(quote ? fromQuote(app, quote, detail.plan.status, timezone) : fromPlan(detail, dateIn(timezone, app.clock.now()))) });
}

type Content = Omit<Estimate, 'clinic' | 'patient'>;

function fromQuote(app: App, quote: QuoteRow, planStatus: string, timezone: string): Content {
  const accepted = decryptAcceptance(app.keys, quote);
  const signature = accepted?.signature ? signaturePng(accepted.signature) : undefined;
  return {
    title: quote.title,
    quote: { number: quote.number, validUntil: quote.valid_until },
    date: dateIn(timezone, quote.created_at),
    lines: quote.lines,
    total: quote.total_cents,
    alternatives: [],
    ...(accepted && quote.signed_on && { acceptance: { name: accepted.name, date: quote.signed_on, signature } }),
    obstacle: planStatus === 'cancelled' ? 'el tratamiento está cancelado' : isPriced(quote.lines) ? undefined : 'hay precios por definir',
    at: quote.accepted_at ?? quote.created_at,
  };
}

function fromPlan(detail: PlanDetail, date: string): Content {
  const { plan, options } = detail;
  const others = options.filter(({ is_chosen, steps }) => !is_chosen && steps.length > 0);
  return {
    title: plan.title,
    date,
    lines: quoteLines(chosenOf(detail)?.steps ?? []),
    total: plan.estimated_total_cents,
    alternatives: others.map(({ name, steps }) => {
      const lines = quoteLines(steps);
      return { name, total: isPriced(lines) ? sumOf(lines) : undefined };
    }),
    at: plan.updated_at,
  };
}
