// All campaigns of a clinic, active or not.
import { readTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListRecallCampaignsRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { listCampaignsStatement, toProto } from '../sql/recall-campaigns.sql.ts';

export async function listRecallCampaigns(app: App, _request: ListRecallCampaignsRequest, call: Call) {
  const { id } = clinicOf(call);
  return { campaigns: (await readTenant(app.db, id, listCampaignsStatement, [id])).map(toProto) };
}
