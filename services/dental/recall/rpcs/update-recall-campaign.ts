// Changes a campaign; absent fields keep their values.
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateRecallCampaignRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { changeCampaign } from '../change-campaign.ts';
import { parseCampaign } from '../parse-campaign.ts';
import { toProto } from '../sql/recall-campaigns.sql.ts';

export async function updateRecallCampaign(app: App, request: UpdateRecallCampaignRequest, call: Call) {
  const { id, name, messageTemplate, procedureType, recallIntervalDays, sendTime, maxAttempts, retryIntervalDays, isActive } = request;
  const given = { name, messageTemplate, procedureType, recallIntervalDays, sendTime, maxAttempts, retryIntervalDays, isActive };
  if (Object.values(given).every((value) => value === undefined)) fail('VALIDATION_ERROR', 'Change at least one field', [NOTHING]);
  const campaign = await changeCampaign(app, call, id, 'recall_campaign.updated', (before) =>
    parseCampaign({
      name: name ?? before.name,
      messageTemplate: messageTemplate ?? before.message_template,
      procedureType: procedureType ?? before.procedure_type ?? undefined,
      recallIntervalDays: recallIntervalDays ?? before.recall_interval_days,
      sendTime: sendTime ?? before.send_time,
      maxAttempts: maxAttempts ?? before.max_attempts,
      retryIntervalDays: retryIntervalDays ?? before.retry_interval_days,
      isActive: isActive ?? before.is_active,
    }),
  );
  return toProto(campaign);
}

const NOTHING = { path: 'body', message: 'must change at least one field' };
