// Some treatment plans, or a page of the plans of all clinics, for services that rebuild their statistics. As the system: over all clinics.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { toKeysetPage } from '@clinic/lib/formats/page.ts';
import type { FindTreatmentPlanStatesRequest, ListTreatmentPlanStatesRequest } from '@clinic/proto/dental/v1/states_pb.js';
import type { App } from '../../app.ts';
import { findTreatmentPlanFacts, listTreatmentPlanFacts, toTreatmentPlanFacts } from '../sql/treatment-plan-facts.sql.ts';

const MAX_PLANS = 1_000;

export async function listTreatmentPlanStates(app: Pick<App, 'db'>, request: ListTreatmentPlanStatesRequest) {
  const plans = request.clinicId ? await findTreatmentPlanFacts(app.db, [request]) : await listTreatmentPlanFacts(app.db, ...toKeysetPage(request, MAX_PLANS));
  return { treatmentPlans: plans.map(toTreatmentPlanFacts) };
}

export async function findTreatmentPlanStates(app: Pick<App, 'db'>, { plans }: FindTreatmentPlanStatesRequest) {
  if (plans.length > MAX_PLANS) invalid('plans', `must have at most ${MAX_PLANS} items`);
  return { treatmentPlans: (await findTreatmentPlanFacts(app.db, plans)).map(toTreatmentPlanFacts) };
}
