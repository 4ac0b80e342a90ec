// Finds messages whose sender crashed, that the provider did not confirm in time, or that expired.
import { asSystem } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { CONFIRMATION_MS } from './deliver.ts';
import { findAbandoned, findExpired, findUnconfirmed, recordOutcome } from './outbound.sql.ts';

// Longer than any call of the provider.
const ABANDONED_MS = 60_000;
const EXPIRED_MS = 24 * 3_600_000;

/** As the system: over all clinics. */
export function sweepOutbound(app: App): Promise<void> {
  return asSystem(app.db, async (tx) => {
    const now = app.clock.now();
    const at = (ms: number) => new Date(now.getTime() + ms);
    for (const one of await findAbandoned(tx, at(-ABANDONED_MS)))
      await recordOutcome(tx, one, { state: 'uncertain', code: 'no_answer', error: 'The call was interrupted', nextAttemptAt: at(CONFIRMATION_MS) }, now);
    for (const one of await findUnconfirmed(tx, now)) {
      const error = 'The provider did not confirm the message';
      await recordOutcome(tx, one, { state: one.resend ? 'queued' : 'dead', code: 'no_answer', error, nextAttemptAt: now }, now);
    }
    for (const one of await findExpired(tx, at(-EXPIRED_MS)))
      await recordOutcome(tx, one, { state: 'dead', code: one.error_code || 'expired', error: one.error || 'The message could not be sent within a day' }, now);
  });
}
