// Stores the outcomes of several turns in one transaction. A reply is withheld if a user has taken over the conversation or switched off the bot
// since the turn was claimed: both are read under the lock of the conversation.
import { asSystem } from '@clinic/lib/db/db.ts';
import { emitAll } from '@clinic/lib/events/outbox.ts';
import { PatientRepliedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { saveSessions } from '../bot/bot-sessions.sql.ts';
import { emitAllUpdated } from '../conversations/conversations.sql.ts';
import { modeOf } from '../conversations/takeover-rules.ts';
import type { Outcome } from './decide-turn.ts';
import { insertAnswers, linkPatients, markUnanswered, updateConversations } from './outcomes.sql.ts';
import { deleteTurns, lockTurns } from './turns.sql.ts';

/** The turns must be of different conversations. Turns that another process has claimed meanwhile are skipped. */
export async function saveOutcomes(app: App, outcomes: Outcome[]): Promise<void> {
  // As the system, because the turns belong to several clinics.
  await asSystem(app.db, async (tx) => {
    const now = app.clock.now();
    const turns = outcomes.map(({ turn }) => turn);
    const locked = new Map((await lockTurns(tx, turns)).map((one) => [one.seq, one]));
    const held = outcomes.filter(({ turn }) => locked.has(turn.seq));
    if (held.length === 0) return;
    const decided = held.map((outcome) => {
      const current = locked.get(outcome.turn.seq);
      const isBots = current?.bot_enabled === true && modeOf(current.human_until, now) === 'bot';
      const answer = isBots ? outcome.answer : undefined;
      return { ...outcome, answer, handOver: isBots && outcome.error !== undefined ? ('failed' as const) : answer?.handOver };
    });
    const replied = held.flatMap(({ turn, replied: init }) => (init ? [{ clinicId: turn.clinic_id, init }] : []));
    const answers = decided.flatMap(({ turn, answer }) => (answer?.content ? [{ id: v7(), turn, content: answer.content }] : []));
    const sessions = decided.flatMap(({ turn, answer }) => (answer?.session ? [{ clinicId: turn.clinic_id, phone: turn.phone, session: answer.session }] : []));
    const shown = decided.filter(({ turn, patient }) => turn.kind === 'answer' || patient);
    const changes = shown.map(({ turn, answer, handOver }) => ({ turn, content: answer?.content, handOver }));
    const handedOver = new Set(changes.filter(({ handOver }) => handOver).map(({ turn }) => turn.conversation_id));
    const handled = held.map(({ turn }) => turn);
    const [, , changed] = await Promise.all([
      linkPatients(tx, held, now),
      answers.length > 0 && insertAnswers(tx, answers, now),
      updateConversations(tx, changes, now),
      saveSessions(tx, sessions, now),
      markUnanswered(tx, held),
      deleteTurns(tx, handled, now),
      emitAll(tx, PatientRepliedSchema, replied),
    ]);
    const { message = [], takeover = [] } = Object.groupBy(changed, ({ id }) => (handedOver.has(id) ? 'takeover' : 'message'));
    await Promise.all([emitAllUpdated(tx, message, 'message', now), emitAllUpdated(tx, takeover, 'takeover', now)]);
  });
}
