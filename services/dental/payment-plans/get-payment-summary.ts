// What has been collected and what is owed over all plans of the clinic.
import { readTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPaymentSummaryRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import type { App } from '../app.ts';
import { clinicToday } from './payment-plan-changes.ts';
import { summaryStatement } from './payment-plans.sql.ts';

export async function getPaymentSummary(app: App, _request: GetPaymentSummaryRequest, call: Call) {
  const { id } = clinicOf(call);
  const [summary] = await readTenant(app.db, id, summaryStatement, [id, clinicToday(app, call)]);
  const { collected = 0n, pending = 0n, active = 0, overdue = 0 } = summary ?? {};
  return { totalCollected: collected, totalPending: pending, activeCount: active, overdueCount: overdue };
}
