// Takes the turns of the bot: one after another within a conversation, concurrently for different conversations. The number of concurrent turns
// is limited by the number of database connections, not counting slow turns, which wait for another service.
import { createBatches } from '@clinic/lib/background/batches.ts';
import { startLoop } from '@clinic/lib/background/loop.ts';
import { pauseAfter } from '@clinic/lib/background/pace.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import type { Respond } from '../bot/respond.ts';
import { emitAllUpdated } from '../conversations/conversations.sql.ts';
import { createTogether, STEPS_PACE } from '../outbound/chat-loop.ts';
import { REST_MS } from '../outbound/watch-work.ts';
import { decideTurn, type Outcome } from './decide-turn.ts';
import { updateConversations } from './outcomes.sql.ts';
import { saveOutcomes } from './save-outcomes.ts';
import { claimTurns, postponeTurn, renewClaims, type TurnRow } from './turns.sql.ts';

const MAX_YIELD_MS = 250;
const TURNS_PER_CONNECTION = 6;
const SLOW_MS = 1_000;
const MAX_TURNS = 200;
const BATCH_SIZE = 100;
/** A claim considers this many of the oldest turns, so that its cost does not depend on how many wait. Every CONSIDER_ALL_MS it considers all. */
const CANDIDATES = 1_000;
const CONSIDER_ALL_MS = 1_000;
/** Well within CLAIM_SECONDS. */
const RENEW_MS = 4_000;
const MAX_ATTEMPTS = 6;
/** How long a turn of a read-only clinic is postponed. */
const READ_ONLY_MS = 10_000;

type Running = { turn: TurnRow; since: number; done: Promise<void> };

export function startTurnWorker(app: App, respond: Respond): Stoppable {
  const running = new Set<Running>();
  const deciding = createTogether();
  const save = createBatches<Outcome>({ size: BATCH_SIZE, gather: deciding.wait }, (outcomes) => saveOutcomes(app, outcomes));
  const decide = (turn: TurnRow) => deciding.run(decideTurn(app, respond, turn));
  let [renewed, consideredAll, passes, isFull] = [0, 0, 0, false];

  /** How many turns may begin now. */
  function free(): number {
    const quick = [...running].filter(({ since }) => performance.now() - since < SLOW_MS).length;
    return Math.min(app.db.pool.most * TURNS_PER_CONNECTION - quick, MAX_TURNS - running.size);
  }

  function begin(turn: TurnRow): void {
    const pass = passes;
    const done = takeTurn(app, decide, save, turn).finally(() => {
      running.delete(one);
      if (turn.has_later || passes > pass || isFull) app.turnsWaiting.notify(); // another turn may be waiting for this one
    });
    const one: Running = { turn, since: performance.now(), done };
    running.add(one);
  }

  async function renew(): Promise<void> {
    const slow = [...running].filter(({ since }) => performance.now() - since > RENEW_MS);
    if (slow.length === 0 || performance.now() - renewed < RENEW_MS) return;
    renewed = performance.now();
    await renewClaims(app.db, [...new Set(slow.map(({ turn }) => turn.claim))]);
  }

  const options = { log: app.log, failure: 'turns of the bot are not taken', signal: app.turnsWaiting, everyMs: REST_MS };
  const loop = startLoop(options, async (stopped) => {
    await renew();
    await app.deliveryStore.waitWhileBusy(MAX_YIELD_MS);
    const limit = free();
    isFull = limit <= 0;
    if (isFull) return;
    passes++;
    const all = performance.now() - consideredAll >= CONSIDER_ALL_MS;
    if (all) consideredAll = performance.now();
    const claimed = await claimTurns(app.db, app.clock.now(), limit, v7(), all ? null : CANDIDATES);
    isFull = claimed.length === limit;
    for (const turn of claimed) begin(turn);
    await pauseAfter(isFull ? 0 : claimed.length, STEPS_PACE, stopped);
  });

  return {
    async stop() {
      await loop.stop();
      await Promise.all([...running].map(({ done }) => done));
    },
  };
}

async function takeTurn(app: App, decide: (turn: TurnRow) => Promise<Outcome>, save: (outcome: Outcome) => Promise<void>, turn: TurnRow): Promise<void> {
  try {
    const outcome = await decide(turn);
    await save(outcome).catch(() => saveOutcomes(app, [outcome])); // on its own, since another outcome of the batch may be the cause
  } catch (error) {
    if (isReason(error, 'READ_ONLY')) return waitWhileReadOnly(app, turn);
    app.log.warn({ err: error, message: turn.message_id, attempt: turn.attempts + 1 }, 'a turn of the bot failed');
    await postponeOrHandOver(app, turn).catch((err: unknown) =>
      app.log.warn({ err, message: turn.message_id }, 'a turn of the bot could not be postponed; it is retried when its claim ends'),
    );
  }
}

async function waitWhileReadOnly(app: App, turn: TurnRow): Promise<void> {
  // As the system, like all statements on turns.
  await asSystem(app.db, (tx) => postponeTurn(tx, turn, new Date(app.clock.now().getTime() + READ_ONLY_MS), false));
}

/** Postpones the turn; after the last attempt hands the conversation over to the staff. */
async function postponeOrHandOver(app: App, turn: TurnRow): Promise<void> {
  if (turn.attempts + 1 >= MAX_ATTEMPTS) return saveOutcomes(app, [{ turn, error: 'The bot could not answer' }]);
  const now = app.clock.now();
  // As the system, like all statements on turns.
  await asSystem(app.db, async (tx) => {
    const postponed = await postponeTurn(tx, turn, new Date(now.getTime() + 1_000 * 3 ** turn.attempts));
    // Published now, since the outcome that would have shown the message to the staff is delayed.
    if (postponed && turn.attempts === 0) await emitAllUpdated(tx, await updateConversations(tx, [{ turn }], now), 'message', now);
  });
}
