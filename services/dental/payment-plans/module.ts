import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { LookupService } from '@clinic/proto/dental/v1/lookup_pb.js';
import { OpeningBalanceService } from '@clinic/proto/dental/v1/opening_balance_pb.js';
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { StateService } from '@clinic/proto/dental/v1/states_pb.js';
import type { App } from '../app.ts';
import { createPaymentPlan } from './create-payment-plan.ts';
import { markOverduePlansJob, remindOfPaymentsJob } from './due-plans.ts';
import { findPayment } from './find-payment.ts';
import { getPatientBalance } from './get-patient-balance.ts';
import { getPaymentPlan } from './get-payment-plan.ts';
import { getPaymentSummary } from './get-payment-summary.ts';
import { getReceipt } from './get-receipt.ts';
import { importOpeningBalances } from './import-opening-balances.ts';
import { findPaymentPlanStates, listPaymentPlanStates } from './list-payment-plan-states.ts';
import { listPaymentPlans } from './list-payment-plans.ts';
import { recordPayment } from './record-payment.ts';
import { cancelPaymentPlan, updatePaymentPlan } from './update-payment-plan.ts';
import { voidPayment } from './void-payment.ts';

const OF_PAYMENT_PLAN = 'payment_plan_id in (select p.id from payment_plans p where p.clinic_id = $1 and p.patient_id = any($ids))';
const ACCOUNTING = 'amounts without names: receipts are numbered without gaps';

export const paymentPlans: Module<App> = {
  rpcs: [
    rpcs(PaymentPlanService, {
      getPaymentSummary,
      getPatientBalance,
      listPaymentPlans,
      getPaymentPlan,
      createPaymentPlan,
      updatePaymentPlan,
      cancelPaymentPlan,
      recordPayment,
      voidPayment,
      getReceipt,
    }),
    rpcs(LookupService, { findPayment }),
    rpcs(OpeningBalanceService, { importOpeningBalances }),
    rpcs(StateService, { findPaymentPlanStates, listPaymentPlanStates }),
  ],
  jobs: (app) => [markOverduePlansJob(app), remindOfPaymentsJob(app)],
  personal: [
    { table: 'payments', ofPatient: OF_PAYMENT_PLAN, erase: { notes: 'null', void_reason: "case when voided_at is not null then '—' end" } },
    { table: 'payment_instalments', ofPatient: OF_PAYMENT_PLAN, why: ACCOUNTING },
    {
      table: 'payment_plans',
      ofPatient: 'patient_id = any($ids)',
      erase: { description: "'—'", notes: 'null', treatment_plan_id: 'null', reminder_enabled: 'false' },
    },
    // Triggers update it when payment plans change.
    { table: 'payment_totals' },
  ],
};
