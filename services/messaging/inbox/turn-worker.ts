// Takes the turns of the bot: those of one conversation one after another, those of different conversations concurrently. How many at once
// follows from the connections to the database; slow turns, which wait for another service, do not count.
import { createBatches } from '@clinic/lib/background/batches.ts';
import { startLoop } from '@clinic/lib/background/loop.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import type { Respond } from '../bot/respond.ts';
import { emitAllUpdated } from '../conversations/conversations.sql.ts';
import { CHAT_LOOP } from '../outbound/chat-loop.ts';
import { decideTurn, type Outcome } from './decide-turn.ts';
import { updateConversations } from './outcomes.sql.ts';
import { saveOutcomes } from './save-outcomes.ts';
import { claimTurns, postponeTurn, renewClaims, type TurnRow } from './turns.sql.ts';

const MAX_YIELD_MS = 250;
const TURNS_PER_CONNECTION = 6;
const SLOW_MS = 1_000;
const MAX_TURNS = 200;
const BATCH_SIZE = 50;
/** So many of the oldest turns are looked at, so that a claim costs the same however many wait; all of them once in LOOK_AT_ALL_MS. */
const CANDIDATES = 1_000;
const LOOK_AT_ALL_MS = 1_000;
/** Well within CLAIM_SECONDS. */
const RENEW_MS = 4_000;
const MAX_ATTEMPTS = 6;
/** How often a turn of a read-only clinic is looked at. */
const READ_ONLY_MS = 10_000;

type Running = { turn: TurnRow; since: number; done: Promise<void> };

export function startTurnWorker(app: App, respond: Respond): Stoppable {
  const running = new Set<Running>();
  const save = createBatches<Outcome>({ size: BATCH_SIZE }, (outcomes) => saveOutcomes(app, outcomes));
  let [renewed, lookedAtAll] = [0, 0];

  /** How many turns may begin now. */
  function free(): number {
    const quick = [...running].filter(({ since }) => performance.now() - since < SLOW_MS).length;
    return Math.min(app.db.pool.options.max * TURNS_PER_CONNECTION - quick, MAX_TURNS - running.size);
  }

  function begin(turn: TurnRow): void {
    const done = takeTurn(app, respond, save, turn).finally(() => {
      running.delete(one);
      app.turnsWaiting.notify(); // the conversation may have another one
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

  const options = { log: app.log, failure: 'turns of the bot are not taken', signal: app.turnsWaiting, ...CHAT_LOOP };
  const loop = startLoop(options, async () => {
    await renew();
    await app.deliveryStore.waitWhileBusy(MAX_YIELD_MS);
    const limit = free();
    if (limit <= 0) return;
    const all = performance.now() - lookedAtAll >= LOOK_AT_ALL_MS;
    if (all) lookedAtAll = performance.now();
    for (const turn of await claimTurns(app.db, app.clock.now(), limit, v7(), all ? null : CANDIDATES)) begin(turn);
  });

  return {
    async stop() {
      await loop.stop();
      await Promise.all([...running].map(({ done }) => done));
    },
  };
}

async function takeTurn(app: App, respond: Respond, save: (outcome: Outcome) => Promise<void>, turn: TurnRow): Promise<void> {
  try {
    const outcome = await decideTurn(app, respond, turn);
    await save(outcome).catch(() => saveOutcomes(app, [outcome])); // alone, since another one of its batch may be at fault
  } catch (error) {
    if (isReason(error, 'READ_ONLY')) return waitWhileReadOnly(app, turn);
    app.log.warn({ err: error, message: turn.message_id, attempt: turn.attempts + 1 }, 'a turn of the bot failed');
    await postponeOrHandOver(app, turn).catch((err: unknown) =>
      app.log.warn({ err, message: turn.message_id }, 'a turn could not be postponed: it is taken again when its claim ends'),
    );
  }
}

async function waitWhileReadOnly(app: App, turn: TurnRow): Promise<void> {
  // As the system, like everything that happens to turns.
  await asSystem(app.db, (tx) => postponeTurn(tx, turn, new Date(app.clock.now().getTime() + READ_ONLY_MS), false));
}

/** Postpones the turn; after the last attempt hands the conversation over to the staff. */
async function postponeOrHandOver(app: App, turn: TurnRow): Promise<void> {
  if (turn.attempts + 1 >= MAX_ATTEMPTS) return saveOutcomes(app, [{ turn, error: 'The bot could not answer' }]);
  const now = app.clock.now();
  // As the system, like everything that happens to turns.
  await asSystem(app.db, async (tx) => {
    const postponed = await postponeTurn(tx, turn, new Date(now.getTime() + 1_000 * 3 ** turn.attempts));
    // The outcome would have shown the message to the staff.
    if (postponed && turn.attempts === 0) await emitAllUpdated(tx, await updateConversations(tx, [{ turn, handOver: false }], now), 'message', now);
  });
}
