// Deactivates a campaign. The campaign remains stored.
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { DeleteRecallCampaignRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { changeCampaign } from '../change-campaign.ts';

export async function deleteRecallCampaign(app: App, request: DeleteRecallCampaignRequest, call: Call) {
  return toFields(await changeCampaign(app, call, request.id, 'recall_campaign.deactivated', (before) => ({ ...before, is_active: false })));
}
