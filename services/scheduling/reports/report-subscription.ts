// Reads and changes which reports the caller receives by mail.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetReportSubscriptionRequest, UpdateReportSubscriptionRequest } from '@clinic/proto/scheduling/v1/report_pb.js';
import type { App } from '../app.ts';
import { userOf } from '../clinics/mail-recipient.ts';
import { listSubscriptions, type ReportPeriod, setSubscribed } from './reports.sql.ts';

const toProto = (periods: ReportPeriod[]) => ({ weekly: periods.includes('week'), monthly: periods.includes('month') });

export async function getReportSubscription(app: App, _request: GetReportSubscriptionRequest, call: Call) {
  const userId = userOf(call);
  return toProto(await inTenant(app.db, clinicOf(call).id, (tx) => listSubscriptions(tx, userId)));
}

export async function updateReportSubscription(app: App, { weekly, monthly }: UpdateReportSubscriptionRequest, call: Call) {
  const userId = userOf(call);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const changes: Record<string, { from: boolean; to: boolean }> = {};
    for (const [period, enabled] of [['week', weekly] as const, ['month', monthly] as const]) {
      if (enabled === undefined || !(await setSubscribed(tx, { userId, period, enabled }, app.clock.now()))) continue;
      changes[period] = { from: !enabled, to: enabled };
    }
    if (Object.keys(changes).length > 0) await audit(tx, tx.clinicId, call.caller, { action: 'report.subscription_changed', entityId: userId, changes });
    return toProto(await listSubscriptions(tx, userId));
  });
}
