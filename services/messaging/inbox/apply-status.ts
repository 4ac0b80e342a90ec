// News of a message of ours. They come late, twice and in any order: a state only moves forward.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { App } from '../app.ts';
import { advance } from '../outbound/delivery-state-rules.ts';
import { lockOutbound, lockOutboundByProvider, recordOutcome } from '../outbound/outbound.sql.ts';
import { outcomeOfRefusal, WINDOW_CLOSED_CODE } from '../outbound/refusal-rules.ts';
import type { StatusUpdate } from './delivery-payload-rules.ts';

/** Known by what we sent along, or by the provider's id; of others' messages nothing is noted. */
export async function applyStatus(app: App, tx: SystemTx, clinicId: string, news: StatusUpdate): Promise<void> {
  const now = app.clock.now();
  const { providerId, callback, code, message } = news;
  const outbound = (isUuid(callback) ? await lockOutbound(tx, clinicId, callback) : undefined) ?? (await lockOutboundByProvider(tx, clinicId, providerId));
  if (!outbound) return;
  const state = advance(outbound.state, news.status);
  if (!state) return;
  if (state !== 'failed') return recordOutcome(tx, outbound, { state, providerId }, now);
  const hasTemplate = outbound.outside_window !== null && outbound.error_code !== WINDOW_CLOSED_CODE;
  const { delayMs, ...verdict } = outcomeOfRefusal({ attempts: outbound.attempts, hasTemplate, code, http: 400, message }, Math.random());
  await recordOutcome(tx, outbound, { ...verdict, providerId, nextAttemptAt: new Date(now.getTime() + delayMs) }, now);
}
