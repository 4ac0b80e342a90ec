// Messages whose sender died, whose fate the provider never told, or that are of no use any more.
import { asSystem } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { SILENT_MS } from './deliver.ts';
import { findLate, findLost, findSilent, settleOutbound } from './outbound.sql.ts';

// Longer than any call to the provider lasts.
const LOST_MS = 60_000;
const LATE_MS = 24 * 3_600_000;

/** As the system: over all clinics. */
export function sweepOutbound(app: App): Promise<void> {
  return asSystem(app.db, async (tx) => {
    const now = app.clock.now();
    const at = (ms: number) => new Date(now.getTime() + ms);
    for (const one of await findLost(tx, at(-LOST_MS)))
      await settleOutbound(tx, one, { state: 'uncertain', code: 'no_answer', error: 'The call broke off', nextAttemptAt: at(SILENT_MS) }, now);
    for (const one of await findSilent(tx, now)) {
      const error = 'The provider never said whether it got the message';
      await settleOutbound(tx, one, { state: one.resend ? 'queued' : 'dead', code: 'no_answer', error, nextAttemptAt: now }, now);
    }
    for (const one of await findLate(tx, at(-LATE_MS)))
      await settleOutbound(tx, one, { state: 'dead', code: one.error_code || 'expired', error: one.error || 'It could not be sent within a day' }, now);
  });
}
