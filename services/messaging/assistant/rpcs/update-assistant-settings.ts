// Changes a clinic's settings of the assistant.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateAssistantSettingsRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { loadSettings } from '../load-settings.ts';
import { findAssistantSettings, saveAssistantSettings } from '../sql/assistant-settings.sql.ts';

export function updateAssistantSettings(app: App, request: UpdateAssistantSettingsRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  return inTenant(app.db, id, async (tx) => {
    const before = await findAssistantSettings(tx);
    const after = { send_names: request.sendNames ?? before.send_names };
    await saveAssistantSettings(tx, after, app.clock.now());
    await audit(tx, id, call.caller, { action: 'assistant_settings.updated', entityId: id, changes: maskChanges(before, after, []) });
    return loadSettings(app, tx, timezone);
  });
}
