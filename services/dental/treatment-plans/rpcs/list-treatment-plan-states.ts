// Treatment plans with all that is counted of them. As the system: over all clinics.
import { readSystem } from '@clinic/lib/db/db.ts';
import { toKeysetPage } from '@clinic/lib/formats/page.ts';
import type { ListTreatmentPlanStatesRequest } from '@clinic/proto/dental/v1/states_pb.js';
import type { App } from '../../app.ts';
import { findTreatmentPlanFacts, pageTreatmentPlanFacts, toTreatmentPlanFacts } from '../sql/treatment-plan-facts.sql.ts';

export async function listTreatmentPlanStates(app: Pick<App, 'db'>, request: ListTreatmentPlanStatesRequest) {
  const { clinicId, id } = request;
  const plans = clinicId
    ? await readSystem(app.db, findTreatmentPlanFacts, [clinicId, id])
    : await readSystem(app.db, pageTreatmentPlanFacts, toKeysetPage(request, 1_000));
  return { treatmentPlans: plans.map(toTreatmentPlanFacts) };
}
