// The settings as the clinic's people see them.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { App } from '../app.ts';
import { findAssistantSettings } from './sql/assistant-settings.sql.ts';
import { usedTokens } from './sql/assistant-usage.sql.ts';

export async function shownSettings(app: App, tx: TenantTx, timezone: string) {
  const [{ send_names }, tokensToday] = await Promise.all([findAssistantSettings(tx), usedTokens(tx, dateIn(timezone, app.clock.now()))]);
  return { source: app.assistant.model ? 'model' : 'rules', sendNames: send_names, tokensToday, tokensPerDay: app.assistant.tokensPerDay };
}
