// Finds messages whose sender has died, that the provider did not confirm in time, or that can no longer be sent.
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { MAX_ATTEMPTS } from '../channel/provider-errors-rules.ts';
import { findAbandoned } from './claims.sql.ts';
import { CONFIRMATION_MS, TOO_OLD } from './deliver.ts';
import { describeReason, KINDS } from './message-kinds-rules.ts';
import {
  findDisconnected,
  findOld,
  findUnconfirmed,
  NO_ANSWER,
  type OutboundOutcome,
  type OutboundRow,
  recordOutcomes,
  recoverFromClockStep,
} from './outbound.sql.ts';

/** Claims of an earlier release, which have no lease, are abandoned after a minute. */
const OLD_CLAIM_MS = 60_000;

const INTERRUPTED: OutboundOutcome = { state: 'dead', code: 'not_prepared', error: 'The sender was interrupted each time' };
const UNCONFIRMED: OutboundOutcome = { state: 'dead', code: NO_ANSWER, error: 'The provider did not confirm the message: the patient may have received it' };
const DISCONNECTED: OutboundOutcome = { state: 'failed', code: 'disconnected', error: describeReason('disconnected') };

/** A message that was not transmitted is sent again immediately; one that may have been waits for a status of the provider. */
export const recoverAbandoned = (app: App) =>
  inSystem(app, async (tx, now) => {
    const uncertain: OutboundOutcome = { state: 'uncertain', code: NO_ANSWER, error: 'The call was interrupted', nextAttemptAt: before(now, -CONFIRMATION_MS) };
    const again: OutboundOutcome = { state: 'queued', nextAttemptAt: now, isCounted: true };
    const abandoned = (await findAbandoned(tx, before(now, OLD_CLAIM_MS))).map((one) => {
      const outcome = one.may_be_received ? uncertain : one.failures + 1 >= MAX_ATTEMPTS ? INTERRUPTED : again;
      return { outbound: one, outcome };
    });
    await recordOutcomes(tx, [...abandoned, ...all(await findUnconfirmed(tx, now), UNCONFIRMED)], now);
  });

/** Messages that can no longer be sent fail, with the reason. */
export const failUnsendable = (app: App) =>
  inSystem(app, async (tx, now) => {
    const recovered = await recoverFromClockStep(tx, now);
    if (recovered > 0) app.log.warn({ messages: recovered }, 'the clock was set back: outbound messages that were stored before are made due now');
    await recordOutcomes(tx, all(await findDisconnected(tx), DISCONNECTED), now);
    const earliest = Object.values(KINDS).map(({ maxAgeMs }) => before(now, maxAgeMs));
    const old = await findOld(tx, Object.keys(KINDS), earliest);
    const ended = old.map((one) => ({ outbound: one, outcome: one.error ? { ...TOO_OLD, code: one.error_code, error: one.error } : TOO_OLD }));
    await recordOutcomes(tx, ended, now);
  });

const all = (outbounds: OutboundRow[], outcome: OutboundOutcome) => outbounds.map((outbound) => ({ outbound, outcome }));
const before = (now: Date, ms: number) => new Date(now.getTime() - ms);

/** As the system, because it covers all clinics. */
const inSystem = (app: App, work: (tx: SystemTx, now: Date) => Promise<void>) => asSystem(app.db, (tx) => work(tx, app.clock.now()));
