// A payment plan was opened or changed, or a payment was recorded or voided, which tell of the plan too. Dental is asked
// for what is true by now.

import { subscribe } from '@clinic/lib/events/events.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { PaymentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../../app.ts';
import { countPaymentPlans } from '../update-figures.ts';
import { readPaymentPlan } from '../plan-facts.ts';

export const onPaymentPlanUpdatedAnalytics = (app: Pick<App, 'plans'>) =>
  subscribe('analytics-of-payment-plans', 'dental', PaymentPlanUpdatedSchema, async (tx, { paymentPlan }, { id: eventId, clinicId }) => {
    if (!paymentPlan) return;
    const one = { clinicId, id: paymentPlan.paymentPlanId };
    const { paymentPlans } = await app.plans.listPaymentPlanStates(one, callAs(serviceCaller('scheduling', eventId)));
    await countPaymentPlans(tx, clinicId, paymentPlans.flatMap(readPaymentPlan));
  });
