// What a patient owes: the open amounts of the payment plans, and the part of them that was due before today.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPatientBalanceRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import type { App } from '../app.ts';
import { getPatient } from '../patients/find-patients.ts';
import { clinicToday } from './payment-plan-changes.ts';
import { listOpenPlans, toProto } from './payment-plans.sql.ts';

export async function getPatientBalance(app: App, { patientId }: GetPatientBalanceRequest, call: Call) {
  const patient = await getPatient(app, call, patientId);
  const today = clinicToday(app, call);
  const open = await listOpenPlans(app.db, clinicOf(call).id, patient.id, today);
  const plans = open.map((plan) => ({ ...toProto(plan, today), owed: plan.total_cents - plan.paid_cents, overdue: plan.overdue_cents }));
  const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  return { owed: sum(plans.map(({ owed }) => owed)), overdue: sum(plans.map(({ overdue }) => overdue)), plans };
}
