// A treatment plan, an option, a step or a quote changed. Dental is asked for what is true by now.

import { subscribe } from '@clinic/lib/events/events.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { TreatmentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../../app.ts';
import { countTreatments } from '../update-figures.ts';
import { readTreatment } from '../plan-facts.ts';

export const onTreatmentPlanUpdatedAnalytics = (app: Pick<App, 'plans'>) =>
  subscribe('analytics-of-treatment-plans', 'dental', TreatmentPlanUpdatedSchema, async (tx, { treatmentPlanId }, { id: eventId, clinicId }) => {
    const { treatmentPlans } = await app.plans.listTreatmentPlanStates({ clinicId, id: treatmentPlanId }, callAs(serviceCaller('scheduling', eventId)));
    await countTreatments(tx, clinicId, treatmentPlans.flatMap(readTreatment));
  });
