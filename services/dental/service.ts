// Dental: treatment plans, prices and payment plans; charts and recall come from charting.ts. The only wiring.
import path from 'node:path';
import { dataSubjectRpc } from '@clinic/lib/data-subject.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import type { ServiceModule } from '@clinic/lib/service.ts';
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import { StateService } from '@clinic/proto/dental/v1/states_pb.js';
import { TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { createClient } from '@connectrpc/connect';
import type { App } from './app.ts';
import { charting } from './charting.ts';
import { onAppointmentStatusChanged } from './consumers/on-appointment-status-changed.ts';
import { onClinicRegistered } from './consumers/on-clinic-registered.ts';
import { onClinicUpdated } from './consumers/on-clinic-updated.ts';
import { onPatientsMerged } from './consumers/on-patients-merged.ts';
import { onPatientsUnmerged } from './consumers/on-patients-unmerged.ts';
import { acceptQuote } from './handlers/accept-quote.ts';
import { addTreatmentOption } from './handlers/add-treatment-option.ts';
import { addTreatmentStep } from './handlers/add-treatment-step.ts';
import { cancelPaymentPlan } from './handlers/cancel-payment-plan.ts';
import { cancelTreatmentPlan } from './handlers/cancel-treatment-plan.ts';
import { chooseTreatmentOption } from './handlers/choose-treatment-option.ts';
import { createPaymentPlan } from './handlers/create-payment-plan.ts';
import { createQuote } from './handlers/create-quote.ts';
import { createTreatmentPlan } from './handlers/create-treatment-plan.ts';
import { deleteTreatmentOption } from './handlers/delete-treatment-option.ts';
import { deleteTreatmentStep } from './handlers/delete-treatment-step.ts';
import { generateTreatmentPlan } from './handlers/generate-treatment-plan.ts';
import { getEstimate } from './handlers/get-estimate.ts';
import { getPaymentPlan } from './handlers/get-payment-plan.ts';
import { getPaymentSummary } from './handlers/get-payment-summary.ts';
import { getQuote } from './handlers/get-quote.ts';
import { getReceipt } from './handlers/get-receipt.ts';
import { getTreatmentPlan } from './handlers/get-treatment-plan.ts';
import { listPaymentPlanStates } from './handlers/list-payment-plan-states.ts';
import { listPaymentPlans } from './handlers/list-payment-plans.ts';
import { listPrices } from './handlers/list-prices.ts';
import { listTreatmentPlanStates } from './handlers/list-treatment-plan-states.ts';
import { listTreatmentPlans } from './handlers/list-treatment-plans.ts';
import { recordPayment } from './handlers/record-payment.ts';
import { replacePrices } from './handlers/replace-prices.ts';
import { updatePaymentPlan } from './handlers/update-payment-plan.ts';
import { updateTreatmentPlan } from './handlers/update-treatment-plan.ts';
import { updateTreatmentStep } from './handlers/update-treatment-step.ts';
import { voidPayment } from './handlers/void-payment.ts';
import { markOverduePlansJob } from './jobs/mark-overdue-plans.ts';
import { remindOfPaymentsJob } from './jobs/remind-of-payments.ts';
import personal from './personal.ts';

export default {
  name: 'dental',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings: {},
  neighbours: ['scheduling', 'identity'],
  personal,
  create({ settings, db, clock, log, neighbour }) {
    const app: App = {
      db,
      clock,
      log,
      constraints: { quote_acceptances_once: 'QUOTE_ACCEPTED' },
      keys: settings.ENCRYPTION_KEYS,
      lookup: createClient(LookupService, neighbour('scheduling')),
      clinicProfile: createClient(ClinicProfileService, neighbour('identity')),
    };
    const charts = charting(app);
    return {
      implementations: [
        dataSubjectRpc({ db, log, keys: settings.ENCRYPTION_KEYS, personal }),
        implement(app, TreatmentPlanService, {
          listTreatmentPlans,
          getTreatmentPlan,
          createTreatmentPlan,
          generateTreatmentPlan,
          updateTreatmentPlan,
          cancelTreatmentPlan,
          addTreatmentStep,
          updateTreatmentStep,
          deleteTreatmentStep,
          addTreatmentOption,
          chooseTreatmentOption,
          deleteTreatmentOption,
          createQuote,
          getQuote,
          acceptQuote,
          getEstimate,
        }),
        implement(app, PriceService, { listPrices, replacePrices }),
        implement(app, StateService, { listPaymentPlanStates, listTreatmentPlanStates }),
        implement(app, PaymentPlanService, {
          getPaymentSummary,
          listPaymentPlans,
          getPaymentPlan,
          createPaymentPlan,
          updatePaymentPlan,
          cancelPaymentPlan,
          recordPayment,
          voidPayment,
          getReceipt,
        }),
        ...charts.implementations,
      ],
      consumers: [onAppointmentStatusChanged(app), onClinicRegistered, onClinicUpdated, onPatientsMerged(app), onPatientsUnmerged(app), ...charts.consumers],
      jobs: [markOverduePlansJob(app), remindOfPaymentsJob(app), ...charts.jobs],
    };
  },
} satisfies ServiceModule;
