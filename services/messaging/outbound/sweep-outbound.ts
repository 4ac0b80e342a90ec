// Finds messages whose sender has died, that the provider did not confirm in time, or that cannot be sent any more.
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { MAX_ATTEMPTS } from '../channel/provider-errors-rules.ts';
import { findAbandoned } from './claims.sql.ts';
import { CONFIRMATION_MS, TOO_OLD } from './deliver.ts';
import { describeReason, KINDS } from './message-kinds-rules.ts';
import { findDisconnected, findOld, findUnconfirmed, NO_ANSWER, type OutboundOutcome, recordOutcome, recoverFromClockStep } from './outbound.sql.ts';

/** An earlier release takes its claims for abandoned after a minute. */
const OLD_CLAIM_MS = 60_000;

const INTERRUPTED: OutboundOutcome = { state: 'dead', code: 'not_prepared', error: 'The sender was interrupted each time' };
const UNCONFIRMED: OutboundOutcome = { state: 'dead', code: NO_ANSWER, error: 'The provider did not confirm the message: the patient may have received it' };
const DISCONNECTED: OutboundOutcome = { state: 'failed', code: 'disconnected', error: describeReason('disconnected') };

/** What never left is sent again at once; what may have left waits for a status of the provider. */
export const recoverAbandoned = (app: App) =>
  inSystem(app, async (tx, now) => {
    for (const one of await findAbandoned(tx, before(now, OLD_CLAIM_MS))) {
      const uncertain = { state: 'uncertain', code: NO_ANSWER, error: 'The call was interrupted', nextAttemptAt: before(now, -CONFIRMATION_MS) } as const;
      const again = one.attempts >= MAX_ATTEMPTS ? INTERRUPTED : ({ state: 'queued', nextAttemptAt: now } as const);
      await recordOutcome(tx, one, one.has_left ? uncertain : again, now);
    }
    for (const one of await findUnconfirmed(tx, now)) await recordOutcome(tx, one, UNCONFIRMED, now);
  });

/** What cannot be sent any more fails with its reason. */
export const failUnsendable = (app: App) =>
  inSystem(app, async (tx, now) => {
    const recovered = await recoverFromClockStep(tx, now);
    if (recovered > 0) app.log.warn({ messages: recovered }, 'the clock was set back: outbound messages of before are due now');
    for (const one of await findDisconnected(tx)) await recordOutcome(tx, one, DISCONNECTED, now);
    const kinds = Object.entries(KINDS);
    const old = await findOld(
      tx,
      kinds.map(([kind]) => kind),
      kinds.map(([, { maxAgeMs }]) => before(now, maxAgeMs)),
    );
    for (const one of old) await recordOutcome(tx, one, one.error ? { ...TOO_OLD, code: one.error_code, error: one.error } : TOO_OLD, now);
  });

const before = (now: Date, ms: number) => new Date(now.getTime() - ms);

/** As the system: over all clinics. */
const inSystem = (app: App, work: (tx: SystemTx, now: Date) => Promise<void>) => asSystem(app.db, (tx) => work(tx, app.clock.now()));
