// The current month of recall, across all campaigns.
import { readTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetRecallStatsRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { recallMonth } from '../rules/recall-day.ts';
import { recallStatsStatement } from '../sql/recall-contacts.sql.ts';

export async function getRecallStats(app: App, _request: GetRecallStatsRequest, call: Call) {
  const { id } = clinicOf(call);
  const { from, to } = recallMonth(app.clock.now());
  const [counted] = await readTenant(app.db, id, recallStatsStatement, [id, from, to]);
  const { sent = 0, responded = 0, booked = 0, opted_out = 0 } = counted ?? {};
  return { sentThisMonth: sent, responded, optedOut: opted_out, booked, responseRate: sent === 0 ? 0 : Math.round((responded / sent) * 10_000) / 10_000 };
}
