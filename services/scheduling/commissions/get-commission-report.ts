// A month of commissions by doctor.

import { inTenant } from '@clinic/lib/db/db.ts';
import { dateIn, parseMonth } from '@clinic/lib/formats/local-date.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetCommissionReportRequest } from '@clinic/proto/scheduling/v1/commission_pb.js';
import type { App } from '../app.ts';
import { sumMonth, toMonth } from './commissions.sql.ts';

export async function getCommissionReport(app: App, request: GetCommissionReportRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  const month = parseMonth('month', request.month ?? dateIn(timezone, app.clock.now()).slice(0, 7));
  const months = await inTenant(app.db, id, (tx) => sumMonth(tx, `${month}-01`));
  const earned = months.reduce((sum, { earned_cents }) => sum + earned_cents, 0n);
  const reversed = months.reduce((sum, { reversed_cents }) => sum + reversed_cents, 0n);
  const payments = months.reduce((sum, one) => sum + one.payments, 0);
  return { month, doctors: months.map(toMonth), payments, earned, reversed, totalAmount: earned - reversed };
}
