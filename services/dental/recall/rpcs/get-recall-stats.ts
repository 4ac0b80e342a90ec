// Recall figures of the current month of all campaigns.
import { DEFAULT_ZONE, monthIn } from '@clinic/lib/formats/local-date.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetRecallStatsRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { findRecallStats } from '../sql/recall-contacts.sql.ts';

export async function getRecallStats(app: App, _request: GetRecallStatsRequest, call: Call) {
  const { from, to } = monthIn(DEFAULT_ZONE, app.clock.now());
  const { sent, responded, booked, opted_out } = await findRecallStats(app.db, clinicOf(call).id, from, to);
  return { sentThisMonth: sent, responded, optedOut: opted_out, booked, responseRate: sent === 0 ? 0 : Math.round((responded / sent) * 10_000) / 10_000 };
}
