// Creates a campaign. It first runs in the next nightly run.
import { audit } from '@clinic/lib/audit/audit.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateRecallCampaignRequest, RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { checkSendTime } from '../check-send-time.ts';
import { parseCampaign } from '../parse-campaign.ts';
import { insertCampaign } from '../sql/recall-campaigns.sql.ts';

export async function createRecallCampaign(app: App, request: CreateRecallCampaignRequest, call: Call) {
  const fields = parseCampaign(request);
  await checkSendTime(app, call, request.sendTime);
  return idempotent(app.db, call, RecallService.method.createRecallCampaign, request, async (tx) => {
    const campaign = await insertCampaign(tx, v7(), fields, app.clock.now());
    await audit(tx, tx.clinicId, call.caller, { action: 'recall_campaign.created', entityId: campaign.id });
    return toFields(campaign);
  });
}
