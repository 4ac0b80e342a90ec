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
import { onClinicRegistered } from './clinics/on-clinic-registered.ts';
import { onClinicUpdated } from './clinics/on-clinic-updated.ts';
import { onPatientsMerged } from './patient-merges/on-patients-merged.ts';
import { onPatientsUnmerged } from './patient-merges/on-patients-unmerged.ts';
import { cancelPaymentPlan } from './payment-plans/cancel-payment-plan.ts';
import { createPaymentPlan } from './payment-plans/create-payment-plan.ts';
import { getPaymentPlan } from './payment-plans/get-payment-plan.ts';
import { getPaymentSummary } from './payment-plans/get-payment-summary.ts';
import { getReceipt } from './payment-plans/get-receipt.ts';
import { listPaymentPlanStates } from './payment-plans/list-payment-plan-states.ts';
import { listPaymentPlans } from './payment-plans/list-payment-plans.ts';
import { markOverduePlansJob } from './payment-plans/mark-overdue-plans.ts';
import { recordPayment } from './payment-plans/record-payment.ts';
import { remindOfPaymentsJob } from './payment-plans/remind-of-payments.ts';
import { updatePaymentPlan } from './payment-plans/update-payment-plan.ts';
import { voidPayment } from './payment-plans/void-payment.ts';
import personal from './personal.ts';
import { listPrices } from './prices/list-prices.ts';
import { replacePrices } from './prices/replace-prices.ts';
import { acceptQuote } from './quotes/accept-quote.ts';
import { createQuote } from './quotes/create-quote.ts';
import { getEstimate } from './quotes/get-estimate.ts';
import { getQuote } from './quotes/get-quote.ts';
import { onAppointmentStatusChanged } from './treatment-plans/on-appointment-status-changed.ts';
import { addTreatmentOption } from './treatment-plans/rpcs/add-treatment-option.ts';
import { addTreatmentStep } from './treatment-plans/rpcs/add-treatment-step.ts';
import { cancelTreatmentPlan } from './treatment-plans/rpcs/cancel-treatment-plan.ts';
import { chooseTreatmentOption } from './treatment-plans/rpcs/choose-treatment-option.ts';
import { createTreatmentPlan } from './treatment-plans/rpcs/create-treatment-plan.ts';
import { deleteTreatmentOption } from './treatment-plans/rpcs/delete-treatment-option.ts';
import { deleteTreatmentStep } from './treatment-plans/rpcs/delete-treatment-step.ts';
import { generateTreatmentPlan } from './treatment-plans/rpcs/generate-treatment-plan.ts';
import { getTreatmentPlan } from './treatment-plans/rpcs/get-treatment-plan.ts';
import { listTreatmentPlanStates } from './treatment-plans/rpcs/list-treatment-plan-states.ts';
import { listTreatmentPlans } from './treatment-plans/rpcs/list-treatment-plans.ts';
import { updateTreatmentPlan } from './treatment-plans/rpcs/update-treatment-plan.ts';
import { updateTreatmentStep } from './treatment-plans/rpcs/update-treatment-step.ts';

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
