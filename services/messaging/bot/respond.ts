// The bot's answer to one message of a patient.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import type { Clinic } from '../clinics/clinics.ts';
import type { ConversationRow } from '../conversations/conversations.sql.ts';
import type { MessageRow } from '../conversations/messages.sql.ts';
import type { Outgoing } from '../outbound/outgoing-content-rules.ts';
import { findSession, saveSession } from './bot-sessions.sql.ts';
import { findClinicTexts } from './bot-texts.sql.ts';
import { performEffect } from './perform-effect.ts';
import type { Facts } from './rules/session.ts';
import { takeTurn } from './rules/take-turn.ts';
import { textsIn } from './rules/texts.ts';
import { toInput } from './rules/to-input.ts';

/** A message of a conversation that the bot answers. */
export type Incoming = { clinic: Clinic; conversation: ConversationRow; message: MessageRow };

/** At most one message; `handOver` asks for a person. */
export type Answer = { content?: Outgoing; handOver?: true };

/**
 * Called for each message, in order, inside the transaction that marks the message as handled: what it writes through `tx` and its answer
 * are committed together or not at all. When it throws, it is called again for the same message; calls of other services that were
 * made by then are repeated with the same idempotency key.
 */
export type Respond = (app: App, tx: TenantTx, incoming: Incoming) => Promise<Answer | undefined>;

export const respond: Respond = async (app, tx, { clinic, conversation, message }) => {
  if (!clinic.features.includes('chat_bot')) return undefined;
  const now = app.clock.now();
  const { phone, patient_id: patientId, patient_name: patientName, profile_name: profileName } = conversation;
  const [session, clinicTexts] = await Promise.all([findSession(tx, phone, now), findClinicTexts(tx)]);
  const facts: Facts = { now, zone: clinic.timezone, patientName, profileName, sayIn: (language) => textsIn(language, clinic.name, clinicTexts) };
  const sender = { clinicId: clinic.id, phone, patientId, messageId: message.id };
  const turn = takeTurn(session, toInput(message.type, message.content), facts);
  let next = turn.next();
  while (!next.done) next = turn.next(await performEffect(app, tx, sender, next.value));
  const { session: after, reply, handOver } = next.value;
  await saveSession(tx, phone, after, now);
  return { ...(reply && { content: reply }), ...(handOver && { handOver }) };
};
