// Processes stored deliveries and takes the bot's turns that follow. Processing says which conversations have new turns; a poll each second
// finds those that another replica, or this process before a crash, has left.
import { startLoop } from '@clinic/lib/background/loop.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import type { App } from '../app.ts';
import type { Respond } from '../bot/respond.ts';
import { listConversationsWithTurns } from '../conversations/messages.sql.ts';
import { processDeliveries } from './process-deliveries.ts';
import { takeTurns } from './take-turns.ts';

const POLL_MS = 1_000;
const MAX_YIELD_MS = 300;
const CONCURRENT_CONVERSATIONS = 4;
const POLL_LIMIT = 200;

export function startInboxWorker(app: App, respond: Respond): Stoppable {
  /** Clinic ids by conversation id. */
  const waiting = new Map<string, string>();
  const running = new Map<string, Promise<void>>();
  let stopped = false;
  let nextPoll = 0;

  function enqueue(clinicId: string, conversationId: string) {
    waiting.set(conversationId, clinicId); // also while its turns are taken: a message may have come after the last check
    startTurns();
  }

  function startTurns() {
    for (const [id, clinicId] of waiting) {
      if (stopped || running.size >= CONCURRENT_CONVERSATIONS) return;
      if (running.has(id)) continue;
      waiting.delete(id);
      const turns = takeTurns(app, respond, clinicId, id)
        .catch((error: unknown) => app.log.warn({ err: error, conversation: id }, 'turns of the bot failed, the next poll takes them'))
        .finally(() => {
          running.delete(id);
          startTurns();
        });
      running.set(id, turns);
    }
  }

  async function poll() {
    nextPoll = performance.now() + POLL_MS;
    if (waiting.size >= POLL_LIMIT) return;
    for (const { clinic_id, conversation_id } of await listConversationsWithTurns(app.db, app.clock.now(), POLL_LIMIT)) enqueue(clinic_id, conversation_id);
  }

  const loop = startLoop({ log: app.log, failure: 'chat deliveries are not processed', everyMs: POLL_MS, signal: app.deliveryStored }, async () => {
    await app.deliveryStore.waitWhileBusy(MAX_YIELD_MS);
    const { size, changed } = await processDeliveries(app);
    for (const { clinic_id, id, waiting } of changed) if (waiting) enqueue(clinic_id, id);
    if (performance.now() >= nextPoll) await poll();
    return size > 0;
  });

  return {
    async stop() {
      stopped = true;
      await loop.stop();
      await Promise.all(running.values());
    },
  };
}
