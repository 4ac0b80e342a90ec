// Changes a campaign under its lock and adds the change to the audit log. Contacts already queued are still sent.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import type { AuditAction } from '@clinic/lib/audit/audit-actions.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { type CampaignFields, type CampaignRow, lockCampaign, updateCampaign } from './sql/recall-campaigns.sql.ts';

export async function changeCampaign(
  app: App,
  call: Call,
  id: string,
  action: AuditAction,
  change: (before: CampaignRow) => CampaignFields,
): Promise<CampaignRow> {
  if (!isUuid(id)) fail('NOT_FOUND', 'Campaign not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockCampaign(tx, id), 'Campaign');
    const campaign = await updateCampaign(tx, id, change(before), app.clock.now());
    await audit(tx, tx.clinicId, call.caller, { action, entityId: id, changes: maskChanges(before, campaign, []) });
    return campaign;
  });
}
