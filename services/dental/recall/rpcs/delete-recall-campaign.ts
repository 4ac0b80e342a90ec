// Deactivates a campaign. The campaign remains stored.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { DeleteRecallCampaignRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { changeCampaign } from '../change-campaign.ts';
import { toProto } from '../sql/recall-campaigns.sql.ts';

export async function deleteRecallCampaign(app: App, request: DeleteRecallCampaignRequest, call: Call) {
  return toProto(await changeCampaign(app, call, request.id, 'recall_campaign.deactivated', (before) => ({ ...before, is_active: false })));
}
