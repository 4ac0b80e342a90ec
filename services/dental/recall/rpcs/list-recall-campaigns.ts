// All campaigns of a clinic, including inactive ones.
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListRecallCampaignsRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { listCampaigns } from '../sql/recall-campaigns.sql.ts';

export async function listRecallCampaigns(app: App, _request: ListRecallCampaignsRequest, call: Call) {
  return { campaigns: (await listCampaigns(app.db, clinicOf(call).id)).map(toFields) };
}
