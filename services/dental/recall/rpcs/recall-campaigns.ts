// Recall campaigns: listed, created, changed and deactivated. Contacts already queued are still sent.
import { audit, isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import type { AuditAction } from '@clinic/lib/audit/audit-actions.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { isClockTime } from '@clinic/lib/formats/clock-time.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { idempotent, settled } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import {
  type CreateRecallCampaignRequest,
  type DeleteRecallCampaignRequest,
  type ListRecallCampaignsRequest,
  RecallService,
  type UpdateRecallCampaignRequest,
} from '@clinic/proto/dental/v1/recall_pb.js';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { type CampaignInput, parseCampaign, parseSendTime } from '../parse-campaign.ts';
import { isWithin, localTime } from '../rules/recall-day.ts';
import { checkTemplate } from '../rules/template.ts';
import {
  type CampaignFields,
  type CampaignRow,
  findCampaign,
  insertCampaign,
  listCampaigns,
  lockCampaign,
  updateCampaign,
} from '../sql/recall-campaigns.sql.ts';

/** All campaigns of the clinic, including inactive ones. */
export async function listRecallCampaigns(app: App, _request: ListRecallCampaignsRequest, call: Call) {
  return { campaigns: (await listCampaigns(app.db, clinicOf(call).id)).map(toFields) };
}

/** The campaign first runs in the next nightly run. */
export async function createRecallCampaign(app: App, request: CreateRecallCampaignRequest, call: Call) {
  const fields = parseCampaign(request);
  // A repeated request gets the first response, even if the quiet hours were changed since.
  const requireSendTime = await settled(checkSendTime(app, call, request.sendTime));
  return idempotent(app.db, call, RecallService.method.createRecallCampaign, request, async (tx) => {
    requireSendTime();
    const campaign = await insertCampaign(tx, v7(), fields, app.clock.now());
    await audit(tx, tx.clinicId, call.caller, { action: 'recall_campaign.created', entityId: campaign.id });
    return toFields(campaign);
  });
}

/** Absent fields keep their values. */
export async function updateRecallCampaign(app: App, request: UpdateRecallCampaignRequest, call: Call) {
  const { $typeName, $unknown, id, ...fields } = request;
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length === 0) fail('VALIDATION_ERROR', 'Change at least one field', [{ path: 'body', message: 'must change at least one field' }]);
  if (request.messageTemplate !== undefined) checkTemplate(request.messageTemplate);
  if (await isNewTime(app, call, request)) await checkSendTime(app, call, request.sendTime);
  return changeCampaign(app, call, id, 'recall_campaign.updated', (before) => parseCampaign({ ...toFields(before), ...given } as CampaignInput));
}

/** Deactivates the campaign, which remains stored. */
export function deleteRecallCampaign(app: App, request: DeleteRecallCampaignRequest, call: Call) {
  return changeCampaign(app, call, request.id, 'recall_campaign.deactivated', (before) => ({ ...before, is_active: false }));
}

/** Changes a campaign under its lock and adds the change to the audit log. */
async function changeCampaign(app: App, call: Call, id: string, action: AuditAction, change: (before: CampaignRow) => CampaignFields) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Campaign not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockCampaign(tx, id), 'Campaign');
    const wanted = change(before);
    if (isUnchanged(before, wanted)) return toFields(before);
    const campaign = await updateCampaign(tx, id, wanted, app.clock.now());
    await audit(tx, tx.clinicId, call.caller, { action, entityId: id, changes: maskChanges(before, campaign, []) });
    return toFields(campaign);
  });
}

/** Whether the request changes the time of the campaign: clients may send whole records back. */
async function isNewTime(app: App, call: Call, { id, sendTime }: UpdateRecallCampaignRequest): Promise<boolean> {
  if (sendTime === undefined || !isUuid(id)) return false;
  const campaign = await findCampaign(app.db, clinicOf(call).id, id);
  return campaign !== undefined && campaign.send_time !== parseSendTime(sendTime);
}

/**
 * Throws VALIDATION_ERROR when the time, in UTC-6, is within the quiet hours of the clinic on the current date, because the messages would only
 * wait for their end. parseCampaign() checks its form.
 */
async function checkSendTime(app: App, call: Call, sendTime: string | undefined): Promise<void> {
  if (sendTime === undefined || !isClockTime(sendTime)) return;
  const { quietFrom, quietUntil } = await app.bot.getReminderSettings({}, callAs(call.caller));
  const local = localTime(sendTime, app.clock.now(), clinicOf(call).timezone);
  if (isWithin(local, quietFrom, quietUntil))
    invalid('send_time', `must be outside the quiet hours of the clinic, ${quietFrom} to ${quietUntil}; it is ${local} there`);
}
