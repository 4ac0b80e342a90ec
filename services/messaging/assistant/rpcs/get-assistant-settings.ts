import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAssistantSettingsRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { loadSettings } from '../load-settings.ts';

export function getAssistantSettings(app: App, _request: GetAssistantSettingsRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  return inTenant(app.db, id, (tx) => loadSettings(app, tx, timezone));
}
