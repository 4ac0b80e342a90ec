// A clinic's settings of the assistant, and how much of today's budget is used.
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAssistantSettingsRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { findAssistantSettings } from '../sql/assistant-settings.sql.ts';
import { countUsedTokens } from '../sql/assistant-usage.sql.ts';

export function getAssistantSettings(app: App, _request: GetAssistantSettingsRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  return inTenant(app.db, id, (tx) => loadSettings(app, tx, timezone));
}

export async function loadSettings(app: App, tx: TenantTx, timezone: string) {
  const [{ send_names }, tokensToday] = await Promise.all([findAssistantSettings(tx), countUsedTokens(tx, dateIn(timezone, app.clock.now()))]);
  return { source: app.assistant.model ? 'model' : 'rules', sendNames: send_names, tokensToday, tokensPerDay: app.assistant.tokensPerDay };
}
