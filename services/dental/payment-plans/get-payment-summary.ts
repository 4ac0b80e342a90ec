// Amounts collected and owed, and the number of active and overdue plans, of all payment plans of the clinic.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPaymentSummaryRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import type { App } from '../app.ts';
import { clinicToday } from './payment-plan-changes.ts';
import { findPaymentSummary } from './payment-plans.sql.ts';

export async function getPaymentSummary(app: App, _request: GetPaymentSummaryRequest, call: Call) {
  const { id } = clinicOf(call);
  const { collected, pending, active, overdue } = await findPaymentSummary(app.db, id, clinicToday(app, call));
  return { totalCollected: collected, totalPending: pending, activeCount: active, overdueCount: overdue };
}
