// One treatment plan, or a page of the plans of all clinics, for services that rebuild their statistics. As the system: over all clinics.
import { toKeysetPage } from '@clinic/lib/formats/page.ts';
import type { ListTreatmentPlanStatesRequest } from '@clinic/proto/dental/v1/states_pb.js';
import type { App } from '../../app.ts';
import { findTreatmentPlanFacts, listTreatmentPlanFacts, toTreatmentPlanFacts } from '../sql/treatment-plan-facts.sql.ts';

export async function listTreatmentPlanStates(app: Pick<App, 'db'>, request: ListTreatmentPlanStatesRequest) {
  const { clinicId, id } = request;
  const plans = clinicId ? await findTreatmentPlanFacts(app.db, clinicId, id) : await listTreatmentPlanFacts(app.db, ...toKeysetPage(request, 1_000));
  return { treatmentPlans: plans.map(toTreatmentPlanFacts) };
}
