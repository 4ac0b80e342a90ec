// Commissions, payment plans with payments and voids, and a recall campaign.
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import { type TreatmentPlan, TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { CommissionService } from '@clinic/proto/scheduling/v1/commission_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { DateTime } from 'luxon';
import { COMMISSION, COURSES, type Course, METHODS, RECALL, TREATMENTS, VOID_REASON } from '../data/money.ts';
import type { Demo } from '../demo.ts';
import { somePatients } from '../patients.ts';

const DUE_DAYS_AGO = 45;
const WRONG_CENTS = 100n;

export async function money(demo: Demo): Promise<void> {
  const { doctors } = await demo.client(DoctorService, 'scheduling').listDoctors({ page: 1, limit: 50 }, demo.admin());
  const commissions = demo.client(CommissionService, 'scheduling');
  for (const { id } of doctors) await commissions.setCommissionRule({ doctorId: id, ...COMMISSION }, demo.admin());
  const plans = demo.client(TreatmentPlanService, 'dental');
  for (const [index, { id: patientId }] of (await somePatients(demo, TREATMENTS)).entries()) {
    const course = COURSES[index % COURSES.length];
    const [plan] = (await plans.listTreatmentPlans({ patientId, page: 1, limit: 1 }, demo.admin())).plans;
    if (plan && course?.paid) await pay(demo, plan, course, String(index));
  }
  await demo.client(RecallService, 'dental').createRecallCampaign(RECALL, demo.admin('recall'));
}

async function pay(demo: Demo, plan: TreatmentPlan, { paid = [], dueDaysAgo = DUE_DAYS_AGO, isMisbooked }: Course, name: string): Promise<void> {
  const service = demo.client(PaymentPlanService, 'dental');
  const firstDueDate = DateTime.fromISO(demo.today).minus({ days: dueDaysAgo }).toISODate() ?? '';
  const terms = { patientId: plan.patientId, treatmentPlanId: plan.id, description: plan.title, totalAmount: plan.estimatedTotal };
  const { id } = await service.createPaymentPlan({ ...terms, installments: 4, firstDueDate }, demo.admin(`payment-plan-${name}`));
  const record = (amount: bigint, number: number) =>
    service.recordPayment({ id, amount, paymentMethod: demo.random.pick(METHODS).name }, demo.admin(`payment-${name}-${number}`));
  for (const [number, percent] of paid.entries()) await record((plan.estimatedTotal * BigInt(percent)) / 100n, number);
  if (!isMisbooked) return;
  await record(WRONG_CENTS, paid.length);
  const { payments } = await service.getPaymentPlan({ id }, demo.admin());
  const wrong = payments.find(({ amount }) => amount === WRONG_CENTS);
  if (wrong) await service.voidPayment({ id: wrong.id, reason: VOID_REASON }, demo.admin());
}
