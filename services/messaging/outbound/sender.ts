// Sends messages that are due: several concurrently, but never two to one phone.
import { startLoop } from '@clinic/lib/background/loop.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { continueTrace, SpanKind } from '@clinic/lib/telemetry/tracing.ts';
import type { App } from '../app.ts';
import { deliver } from './deliver.ts';
import { claimOutbound } from './outbound.sql.ts';
import type { Prepares } from './prepare.ts';
import { sweepOutbound } from './sweep-outbound.ts';

const CONCURRENT_SENDS = 16;
const POLL_MS = 1_000;
const SWEEP_MS = 5_000;

/** `prepares` write the messages of sendLater(). */
export function startSender(app: App, prepares: Prepares): Stoppable {
  const sending = new Set<Promise<void>>();
  let nextSweep = 0;

  function begin(claimed: Awaited<ReturnType<typeof claimOutbound>>[number]) {
    const delivery = continueTrace(claimed.trace, `send ${claimed.kind}`, SpanKind.CONSUMER, {}, () => deliver(app, prepares, claimed))
      .catch((error: unknown) =>
        app.log.warn({ err: error, outbound: claimed.id }, 'the outcome of an outbound message could not be saved, the sweep finds it'),
      )
      .finally(() => {
        sending.delete(delivery);
        app.toSend.notify();
      });
    sending.add(delivery);
  }

  const loop = startLoop({ log: app.log, failure: 'outbound messages are not sent', everyMs: POLL_MS, signal: app.toSend }, async () => {
    if (performance.now() >= nextSweep) {
      nextSweep = performance.now() + SWEEP_MS;
      await sweepOutbound(app);
    }
    const free = CONCURRENT_SENDS - sending.size;
    // As the system: over all clinics.
    const claimed = free > 0 ? await asSystem(app.db, (tx) => claimOutbound(tx, app.clock.now(), free)) : [];
    for (const one of claimed) begin(one);
    return claimed.length > 0 && claimed.length === free;
  });

  return {
    async stop() {
      await loop.stop();
      await Promise.all(sending);
    },
  };
}
