// The bot's turns: messages of one conversation one after another, of different conversations concurrently. A turn that fails is tried again
// before the next one of its conversation.
import { inTenant } from '@clinic/lib/db/db.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { App } from '../app.ts';
import { recordReply } from '../bot/record-reply.ts';
import type { Respond } from '../bot/respond.ts';
import { findChannel } from '../channel/channels.sql.ts';
import { emitUpdated, findConversation, lockConversation, takeOver } from '../conversations/conversations.sql.ts';
import { findNextTurn, type MessageRow, markHandled, postponeTurn, tryLockTurns } from '../conversations/messages.sql.ts';
import { isWindowOpen, modeOf, TAKEOVER_MS, windowEnd } from '../conversations/takeover-rules.ts';
import { sendMessage } from '../outbound/send.ts';
import { identifyPatient } from './identify-patient.ts';

const MAX_ATTEMPTS = 6;
const MAX_YIELD_MS = 250;

/** Takes all turns of a conversation that are due; none when another worker takes them. */
export async function takeTurns(app: App, respond: Respond, clinicId: string, conversationId: string): Promise<void> {
  do await app.deliveryStore.waitWhileBusy(MAX_YIELD_MS);
  while (await takeTurn(app, respond, clinicId, conversationId));
}

/** Takes one turn. Returns whether there may be another one. */
async function takeTurn(app: App, respond: Respond, clinicId: string, conversationId: string): Promise<boolean> {
  let current: MessageRow | undefined;
  try {
    return await inTenant(app.db, clinicId, async (tx) => {
      if (!(await tryLockTurns(tx, conversationId))) return false;
      current = await findNextTurn(tx, conversationId);
      const conversation = await findConversation(tx, conversationId);
      const known = conversation && (await identifyPatient(app, tx, conversation));
      if (!known || !current || (current.retry_at && current.retry_at > app.clock.now())) return false;
      const message = current;
      const channel = await findChannel(tx);
      const isTooLate = !isWindowOpen(windowEnd(message.sent_at ?? message.created_at), app.clock.now()); // the provider would refuse the answer
      const silent = isTooLate || !channel?.bot_enabled || modeOf(conversation.human_until, app.clock.now()) === 'human';
      await recordReply(app, tx, known, message, silent);
      const clinic = silent ? undefined : await ifFound(app.clinics.get(clinicId));
      const answer = clinic?.isActive ? await respond(app, tx, { clinic, conversation: known, message }) : undefined;
      // A user may have taken over the conversation meanwhile: that is checked under its lock, so that the bot never answers after a takeover.
      const locked = answer && (await lockConversation(tx, conversationId));
      const now = app.clock.now();
      if (locked && modeOf(locked.human_until, now) === 'bot') {
        if (answer.content) await sendMessage(tx, { phone: locked.phone, kind: 'bot', content: answer.content, answers: message.id, sender: 'bot' }, now);
        if (answer.handOver) await emitUpdated(tx, await takeOver(tx, locked.id, new Date(now.getTime() + TAKEOVER_MS), null), 'takeover', now);
      }
      await markHandled(tx, message.id, now);
      return true;
    });
  } catch (error) {
    if (!current) throw error;
    app.log.warn({ err: error, message: current.id, attempt: current.attempts + 1 }, 'a turn of the bot failed');
    return postponeOrHandOver(app, clinicId, current);
  } finally {
    app.toSend.notify();
  }
}

/** Postpones the turn; after the last attempt hands the conversation over to the staff. Returns whether the turn is handled. */
async function postponeOrHandOver(app: App, clinicId: string, message: MessageRow): Promise<boolean> {
  const now = app.clock.now();
  const last = message.attempts + 1 >= MAX_ATTEMPTS;
  await inTenant(app.db, clinicId, async (tx) => {
    if (!last) return postponeTurn(tx, message.id, new Date(now.getTime() + 1_000 * 3 ** message.attempts));
    await emitUpdated(tx, await takeOver(tx, message.conversation_id, new Date(now.getTime() + TAKEOVER_MS), null), 'takeover', now);
    await markHandled(tx, message.id, now, 'The bot could not answer');
  });
  return last;
}
