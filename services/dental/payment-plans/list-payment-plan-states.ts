// Some payment plans, or a page of the plans of all clinics, for services that rebuild their statistics. As the system: over all clinics.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { toKeysetPage } from '@clinic/lib/formats/page.ts';
import type { FindPaymentPlanStatesRequest, ListPaymentPlanStatesRequest } from '@clinic/proto/dental/v1/states_pb.js';
import type { App } from '../app.ts';
import { findPaymentPlanFacts, listPaymentPlanFacts, toPaymentPlanFacts } from './payment-plan-facts.sql.ts';

const MAX_PLANS = 1_000;

export async function listPaymentPlanStates(app: Pick<App, 'db'>, request: ListPaymentPlanStatesRequest) {
  const plans = request.clinicId ? await findPaymentPlanFacts(app.db, [request]) : await listPaymentPlanFacts(app.db, ...toKeysetPage(request, MAX_PLANS));
  return { paymentPlans: plans.map(toPaymentPlanFacts) };
}

export async function findPaymentPlanStates(app: Pick<App, 'db'>, { plans }: FindPaymentPlanStatesRequest) {
  if (plans.length > MAX_PLANS) invalid('plans', `must have at most ${MAX_PLANS} items`);
  return { paymentPlans: (await findPaymentPlanFacts(app.db, plans)).map(toPaymentPlanFacts) };
}
