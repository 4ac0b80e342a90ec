// RPCs of the reminder settings: whether patients are reminded, and the clinic's quiet hours.
import { audit, isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { parseClockTime } from '@clinic/lib/formats/clock-time.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetReminderSettingsRequest, UpdateReminderSettingsRequest } from '@clinic/proto/messaging/v1/bot_pb.js';
import type { App } from '../app.ts';
import { findReminderSettings, lockReminderSettings, saveReminderSettings } from '../outbound/reminder-settings.sql.ts';

export async function getReminderSettings(app: App, _request: GetReminderSettingsRequest, call: Call) {
  const { id } = clinicOf(call);
  return toFields(await inTenant(app.db, id, (tx) => findReminderSettings(tx, id)));
}

export async function updateReminderSettings(app: App, { isEnabled, quietFrom, quietUntil }: UpdateReminderSettingsRequest, call: Call) {
  const { id } = clinicOf(call);
  const from = quietFrom === undefined ? undefined : parseClockTime('quiet_from', quietFrom);
  const until = quietUntil === undefined ? undefined : parseClockTime('quiet_until', quietUntil);
  return inTenant(app.db, id, async (tx) => {
    const before = await lockReminderSettings(tx);
    const after = { is_enabled: isEnabled ?? before.is_enabled, quiet_from: from ?? before.quiet_from, quiet_until: until ?? before.quiet_until };
    if (isUnchanged(before, after)) return toFields(before);
    await saveReminderSettings(tx, after, app.clock.now());
    await audit(tx, id, call.caller, { action: 'reminder_settings.updated', entityId: id, changes: maskChanges(before, after, []) });
    return toFields(after);
  });
}
