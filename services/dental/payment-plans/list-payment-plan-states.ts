// One payment plan, or a page of the plans of all clinics, for services that rebuild their statistics. As the system: over all clinics.
import { toKeysetPage } from '@clinic/lib/formats/page.ts';
import type { ListPaymentPlanStatesRequest } from '@clinic/proto/dental/v1/states_pb.js';
import type { App } from '../app.ts';
import { findPaymentPlanFacts, listPaymentPlanFacts, toPaymentPlanFacts } from './payment-plan-facts.sql.ts';

export async function listPaymentPlanStates(app: Pick<App, 'db'>, request: ListPaymentPlanStatesRequest) {
  const { clinicId, id } = request;
  const plans = clinicId ? await findPaymentPlanFacts(app.db, clinicId, id) : await listPaymentPlanFacts(app.db, ...toKeysetPage(request, 1_000));
  return { paymentPlans: plans.map(toPaymentPlanFacts) };
}
