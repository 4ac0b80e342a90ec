// Returns whether patients are reminded, and the clinic's quiet hours.
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetReminderSettingsRequest } from '@clinic/proto/messaging/v1/bot_pb.js';
import type { App } from '../app.ts';
import { findReminderSettings, toProto } from '../outbound/reminder-settings.sql.ts';

export async function getReminderSettings(app: App, _request: GetReminderSettingsRequest, call: Call) {
  const { id } = clinicOf(call);
  return toProto(await inTenant(app.db, id, (tx) => findReminderSettings(tx, id)));
}
