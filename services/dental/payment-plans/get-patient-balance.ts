// What a patient owes: the open amounts of the payment plans, and the part of them that was due before today.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPatientBalanceRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import type { App } from '../app.ts';
import { getPatient } from '../patients/find-patients.ts';
import { clinicToday } from './payment-plan-changes.ts';
import { listOpenPlans } from './payment-plans.sql.ts';
import { statusOn } from './payment-status-rules.ts';

export async function getPatientBalance(app: App, { patientId }: GetPatientBalanceRequest, call: Call) {
  const patient = await getPatient(app, call, patientId);
  const today = clinicToday(app, call);
  const open = await listOpenPlans(app.db, clinicOf(call).id, patient.id, today);
  const plans = open.map((plan) => ({
    id: plan.id,
    description: plan.description,
    totalAmount: plan.total_cents,
    amountPaid: plan.paid_cents,
    owed: plan.total_cents - plan.paid_cents,
    overdue: plan.overdue_cents,
    status: statusOn(today, plan),
    nextDueDate: plan.next_due_date ?? undefined,
  }));
  const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  return { owed: sum(plans.map(({ owed }) => owed)), overdue: sum(plans.map(({ overdue }) => overdue)), plans };
}
