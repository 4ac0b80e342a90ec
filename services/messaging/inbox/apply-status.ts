// Applies a status that the provider reports for an outgoing message. Statuses come late, twice and in any order: a state only moves forward.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { App } from '../app.ts';
import { advance } from '../outbound/delivery-state-rules.ts';
import { lockOutbound, lockOutboundByProvider, recordOutcome } from '../outbound/outbound.sql.ts';
import { outcomeOfRefusal, WINDOW_CLOSED_CODE } from '../outbound/refusal-rules.ts';
import type { StatusUpdate } from './delivery-payload-rules.ts';

/** The message is found by the callback data that were sent with it, or by the provider's id. Statuses of other messages are ignored. */
export async function applyStatus(app: App, tx: SystemTx, clinicId: string, update: StatusUpdate): Promise<void> {
  const now = app.clock.now();
  const { providerId, callback, code, message } = update;
  const outbound = (isUuid(callback) ? await lockOutbound(tx, clinicId, callback) : undefined) ?? (await lockOutboundByProvider(tx, clinicId, providerId));
  if (!outbound) return;
  const state = advance(outbound.state, update.status);
  if (!state) return;
  if (state !== 'failed') return recordOutcome(tx, outbound, { state, providerId }, now);
  const hasTemplate = outbound.outside_window !== null && outbound.error_code !== WINDOW_CLOSED_CODE;
  const { delayMs, ...outcome } = outcomeOfRefusal({ attempts: outbound.attempts, hasTemplate, code, http: 400, message }, Math.random());
  await recordOutcome(tx, outbound, { ...outcome, providerId, nextAttemptAt: new Date(now.getTime() + delayMs) }, now);
}
