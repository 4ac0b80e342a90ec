// Sends messages that are due: several concurrently, and those to one phone one after another.
import { startLoop } from '@clinic/lib/background/loop.ts';
import { pauseAfter } from '@clinic/lib/background/pace.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { continueTrace, SpanKind } from '@clinic/lib/telemetry/tracing.ts';
import type { App } from '../app.ts';
import { STEPS_PACE } from './chat-loop.ts';
import { type ClaimedRow, claimOutbound, renewLeases } from './claims.sql.ts';
import { createSteps, deliver } from './deliver.ts';
import type { OutboundRow } from './outbound.sql.ts';
import type { Prepares } from './prepare.ts';
import { failUnsendable, recoverAbandoned } from './sweep-outbound.ts';
import { REST_MS } from './watch-work.ts';

/** Concurrent calls to the provider. No database connection is in use during a call. */
const CONCURRENT_SENDS = 100;
const RECOVER_MS = 2_000;
const FAIL_MS = 10_000;
const RENEW_MS = 2_000;

/** `prepares` compose the messages of sendLater(). */
export function startSender(app: App, prepares: Prepares): Stoppable {
  const sending = new Map<OutboundRow, Promise<void>>();
  const stopping = new AbortController();
  const steps = createSteps(app, stopping.signal);
  let [nextRecovery, nextFailing, passes, isFull] = [0, 0, 0, false];

  function begin(claimed: ClaimedRow) {
    const pass = passes;
    const delivery = continueTrace(claimed.trace, `send ${claimed.kind}`, SpanKind.CONSUMER, {}, () => deliver(app, prepares, steps, claimed))
      .catch((error: unknown) =>
        app.log.warn({ err: error, outbound: claimed.id }, 'the outcome of an outbound message could not be saved; it is recovered when its lease ends'),
      )
      .finally(() => {
        sending.delete(claimed);
        if (claimed.has_later || passes > pass || isFull) app.toSend.notify(); // another message may be waiting for this one
      });
    sending.set(claimed, delivery);
  }

  const options = { log: app.log, failure: 'outbound messages are not sent', signal: app.toSend, everyMs: REST_MS };
  const loop = startLoop(options, async (stopped) => {
    if (performance.now() >= nextRecovery) {
      nextRecovery = performance.now() + RECOVER_MS;
      await recoverAbandoned(app);
    }
    if (performance.now() >= nextFailing) {
      nextFailing = performance.now() + FAIL_MS;
      await failUnsendable(app);
    }
    const free = CONCURRENT_SENDS - sending.size;
    passes++;
    // As the system, because it covers all clinics.
    const claimed = free > 0 ? await asSystem(app.db, (tx) => claimOutbound(tx, app.clock.now(), free)) : [];
    isFull = claimed.length === free;
    for (const one of claimed) begin(one);
    await pauseAfter(isFull ? 0 : claimed.length, STEPS_PACE, stopped);
  });

  // A separate loop, because claiming may wait for another replica.
  const renewal = startLoop({ log: app.log, failure: 'leases of outbound messages are not renewed', everyMs: RENEW_MS }, async () => {
    // As the system, because it covers all clinics.
    if (sending.size > 0) await asSystem(app.db, (tx) => renewLeases(tx, [...sending.keys()]));
  });

  return {
    async stop() {
      await loop.stop();
      stopping.abort();
      await Promise.all(sending.values());
      await renewal.stop();
    },
  };
}
