// The seam to the bot: what it answers to one message of a patient.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import type { Clinic } from '../clinics/clinics.ts';
import type { ConversationRow } from '../conversations/conversations.sql.ts';
import type { MessageRow } from '../conversations/messages.sql.ts';
import type { Outgoing } from '../outbound/outgoing-rules.ts';
import { answerNeed } from './perform-effect.ts';
import type { Facts, Input } from './rules/session.ts';
import { step } from './rules/take-turn.ts';
import { sayIn } from './rules/texts.ts';
import { findOverrides, findSession, saveSession } from './bot-sessions.sql.ts';

/** A message whose turn has come, in a conversation that the bot has. */
export type Turn = { clinic: Clinic; conversation: ConversationRow; message: MessageRow };

/** One bubble at most; handOver asks for a person. */
export type Answer = { content?: Outgoing; handOver?: true };

/**
 * Called once for each message, in order, inside the transaction that marks the message as handled: what it writes through
 * `tx` and its answer exist together or not at all. When it throws, the turn comes again; what it has done elsewhere by then
 * is found done.
 */
export type Respond = (app: App, tx: TenantTx, turn: Turn) => Promise<Answer | undefined>;

export const respond: Respond = async (app, tx, { clinic, conversation, message }) => {
  if (!clinic.features.includes('chat_bot')) return undefined;
  const now = app.clock.now();
  const { phone, patient_id, patient_name, profile_name } = conversation;
  const [session, overrides] = await Promise.all([findSession(tx, phone, now), findOverrides(tx)]);
  const facts: Facts = {
    now,
    zone: clinic.timezone,
    phone,
    patientName: patient_name,
    profileName: profile_name,
    speak: (language) => sayIn(language, clinic.name, overrides),
  };
  const turn = { clinicId: clinic.id, phone, patientId: patient_id, messageId: message.id };
  const talk = step(session, inputOf(message), facts);
  let next = talk.next();
  while (!next.done) next = talk.next(await answerNeed(app, tx, turn, next.value));
  const { session: after, reply, handOver } = next.value;
  await saveSession(tx, phone, after, now);
  return { ...(reply && { content: reply }), ...(handOver && { handOver }) };
};

function inputOf({ id, type, content }: MessageRow): Input {
  const { text = '', choice } = content;
  const kind = type === 'preference' ? 'preference' : choice ? 'choice' : type === 'text' || type === 'interactive' || type === 'button' ? 'text' : 'other';
  // A quick reply of a template that was made without payloads says its title only.
  if (kind === 'choice' && choice && (choice.id === '' || choice.id === choice.title)) return { id, kind: 'text', text: choice.title, choice: '' };
  return { id, kind, text, choice: choice?.id ?? '' };
}
