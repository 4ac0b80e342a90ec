// Works on what has arrived, until stopped. Which threads have something new is known from splitting; a look each second finds
// what another replica, or this one before a crash, has left.
import { startLoop } from '@clinic/lib/background/loop.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import type { App } from '../app.ts';
import type { Respond } from '../bot/respond.ts';
import { listConversationsWithTurns } from '../conversations/messages.sql.ts';
import { processDeliveries } from './process-deliveries.ts';
import { takeTurns } from './take-turns.ts';
import { yieldToDeliveries } from './yield-to-deliveries.ts';

const POLL_MS = 1_000;
const LONGEST_WAIT_MS = 300;
const CONCURRENT_CONVERSATIONS = 4;
const POLL_LIMIT = 200;

type ConversationKey = { clinicId: string; id: string };

export function startInboxWorker(app: App, respond: Respond): Stoppable {
  const waiting = new Map<string, ConversationKey>();
  const underWay = new Map<string, Promise<void>>();
  let stopped = false;
  let nextLook = 0;

  function offer(thread: ConversationKey) {
    waiting.set(thread.id, thread); // also while it is under way: something may have come after its last look
    fill();
  }

  function fill() {
    for (const [id, thread] of waiting) {
      if (stopped || underWay.size >= CONCURRENT_CONVERSATIONS) return;
      if (underWay.has(id)) continue;
      waiting.delete(id);
      const turn = takeTurns(app, respond, thread.clinicId, id)
        .catch((error: unknown) => app.log.warn({ err: error }, 'turns of a thread are left for later'))
        .finally(() => {
          underWay.delete(id);
          fill();
        });
      underWay.set(id, turn);
    }
  }

  async function look() {
    nextLook = performance.now() + POLL_MS;
    if (waiting.size >= POLL_LIMIT) return;
    for (const { clinic_id, conversation_id } of await listConversationsWithTurns(app.db, app.clock.now(), POLL_LIMIT))
      offer({ clinicId: clinic_id, id: conversation_id });
  }

  const loop = startLoop({ log: app.log, failure: 'chat deliveries are not processed', everyMs: POLL_MS, signal: app.deliveryStored }, async () => {
    await yieldToDeliveries(app, LONGEST_WAIT_MS);
    const { size, changed: touched } = await processDeliveries(app);
    for (const { clinic_id, id, waiting } of touched) if (waiting) offer({ clinicId: clinic_id, id });
    if (performance.now() >= nextLook) await look();
    return size > 0;
  });

  return {
    async stop() {
      stopped = true;
      await loop.stop();
      await Promise.all(underWay.values());
    },
  };
}
