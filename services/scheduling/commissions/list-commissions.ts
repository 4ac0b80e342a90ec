// Entries of the commission ledger, and their sums.
import { inTenant } from '@clinic/lib/db/db.ts';
import { dateIn, parseDayRange, parseMonth } from '@clinic/lib/formats/local-date.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetCommissionReportRequest, ListCommissionsRequest } from '@clinic/proto/scheduling/v1/commission_pb.js';
import type { App } from '../app.ts';
import { listEntries, sumMonth, toMonth, toProto } from './commissions.sql.ts';

/** Entries of the ledger, newest first. */
export async function listCommissions(app: App, request: ListCommissionsRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { from = null, to = null } = parseDayRange(request.from, request.to);
  const filter = {
    from,
    to,
    doctorId: request.doctorId === undefined ? null : parseUuid('doctor_id', request.doctorId),
  };
  const { rows, total, total_cents } = await listEntries(app.db, clinicOf(call).id, filter, limit, offset);
  return { entries: rows.map(toProto), totalAmount: total_cents, total, page, limit };
}

/** The commissions of a month by doctor. */
export async function getCommissionReport(app: App, request: GetCommissionReportRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  const month = parseMonth('month', request.month ?? dateIn(timezone, app.clock.now()).slice(0, 7));
  const months = await inTenant(app.db, id, (tx) => sumMonth(tx, `${month}-01`));
  const earned = months.reduce((sum, { earned_cents }) => sum + earned_cents, 0n);
  const reversed = months.reduce((sum, { reversed_cents }) => sum + reversed_cents, 0n);
  const payments = months.reduce((sum, one) => sum + one.payments, 0);
  return { month, doctors: months.map(toMonth), payments, earned, reversed, totalAmount: earned - reversed };
}
