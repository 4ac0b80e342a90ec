// RPCs of the assistant's settings. Responses include the tokens that the clinic has used today.
import { audit, isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAssistantSettingsRequest, UpdateAssistantSettingsRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { findAssistantSettings, saveAssistantSettings } from '../sql/assistant-settings.sql.ts';
import { countUsedTokens } from '../sql/assistant-usage.sql.ts';

export function getAssistantSettings(app: App, _request: GetAssistantSettingsRequest, call: Call) {
  return inTenant(app.db, clinicOf(call).id, (tx) => loadSettings(app, tx, call));
}

export function updateAssistantSettings(app: App, request: UpdateAssistantSettingsRequest, call: Call) {
  const { id } = clinicOf(call);
  return inTenant(app.db, id, async (tx) => {
    const before = await findAssistantSettings(tx);
    const after = { send_names: request.sendNames ?? before.send_names };
    if (!isUnchanged(before, after)) {
      await saveAssistantSettings(tx, after, app.clock.now());
      await audit(tx, id, call.caller, { action: 'assistant_settings.updated', entityId: id, changes: maskChanges(before, after, []) });
    }
    return loadSettings(app, tx, call);
  });
}

async function loadSettings({ assistant, clock }: App, tx: TenantTx, call: Call) {
  const today = dateIn(clinicOf(call).timezone, clock.now());
  const [{ send_names }, tokensToday] = await Promise.all([findAssistantSettings(tx), countUsedTokens(tx, today)]);
  return { source: assistant.model ? 'model' : 'rules', sendNames: send_names, tokensToday, tokensPerDay: assistant.tokensPerDay };
}
