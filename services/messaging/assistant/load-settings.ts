// The settings of the assistant as the clinic sees them, with the tokens that it has used today.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { App } from '../app.ts';
import { findAssistantSettings } from './sql/assistant-settings.sql.ts';
import { countUsedTokens } from './sql/assistant-usage.sql.ts';

export async function loadSettings(app: App, tx: TenantTx, timezone: string) {
  const [{ send_names }, tokensToday] = await Promise.all([findAssistantSettings(tx), countUsedTokens(tx, dateIn(timezone, app.clock.now()))]);
  return { source: app.assistant.model ? 'model' : 'rules', sendNames: send_names, tokensToday, tokensPerDay: app.assistant.tokensPerDay };
}
