// Payment plans with all that is counted of them. As the system: over all clinics.
import { readSystem } from '@clinic/lib/db/db.ts';
import { toKeysetPage } from '@clinic/lib/formats/page.ts';
import type { ListPaymentPlanStatesRequest } from '@clinic/proto/dental/v1/states_pb.js';
import type { App } from '../app.ts';
import { findPaymentPlanFacts, pagePaymentPlanFacts, toPaymentPlanFacts } from './payment-plan-facts.sql.ts';

export async function listPaymentPlanStates(app: Pick<App, 'db'>, request: ListPaymentPlanStatesRequest) {
  const { clinicId, id } = request;
  const plans = clinicId
    ? await readSystem(app.db, findPaymentPlanFacts, [clinicId, id])
    : await readSystem(app.db, pagePaymentPlanFacts, toKeysetPage(request, 1_000));
  return { paymentPlans: plans.map(toPaymentPlanFacts) };
}
