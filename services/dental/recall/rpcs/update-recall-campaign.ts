// Changes a campaign; absent fields keep their values.
import { fail } from '@clinic/lib/errors/errors.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateRecallCampaignRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { changeCampaign } from '../change-campaign.ts';
import { checkSendTime } from '../check-send-time.ts';
import { type CampaignInput, parseCampaign } from '../parse-campaign.ts';

export async function updateRecallCampaign(app: App, request: UpdateRecallCampaignRequest, call: Call) {
  const { $typeName, $unknown, id, ...fields } = request;
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length === 0) fail('VALIDATION_ERROR', 'Change at least one field', [{ path: 'body', message: 'must change at least one field' }]);
  await checkSendTime(app, call, request.sendTime);
  return toFields(
    await changeCampaign(app, call, id, 'recall_campaign.updated', (before) => parseCampaign({ ...toFields(before), ...given } as CampaignInput)),
  );
}
