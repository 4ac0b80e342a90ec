// The bot's reply to one message of a patient.
import type { App } from '../app.ts';
import type { Clinic } from '../clinics/clinics.ts';
import type { Content } from '../conversations/message-content-rules.ts';
import type { HandoverReason } from '../conversations/takeover-rules.ts';
import type { Outgoing } from '../outbound/outgoing-content-rules.ts';
import { type ReplacedText, toClinicTexts } from './bot-texts.sql.ts';
import type { Asked } from './open-question-rules.ts';
import { performEffect } from './perform-effect.ts';
import { type Effect, type Facts, resumeSession, type Session, type StoredSession } from './rules/session.ts';
import { takeTurn } from './rules/take-turn.ts';
import { textsIn } from './rules/texts.ts';
import { toInput } from './rules/to-input.ts';

/** A message for the bot, with the stored data of its sender. */
export type Incoming = {
  message_id: string;
  type: string;
  content: Content;
  sent_at: Date;
  phone: string;
  patient_id: string | null;
  patient_name: string | null;
  profile_name: string | null;
  session: StoredSession | null;
  session_at: Date | null;
  /** Whether a user has written to the patient after the bot. */
  user_wrote: boolean;
  texts: ReplacedText[];
  asked: Asked[];
};

/** At most one reply; `handOver` says why the conversation is handed over to the staff, if it is. The session is stored with the reply, unless a user has taken over meanwhile. */
export type Answer = { content?: Outgoing; handOver?: HandoverReason; session?: Session };

/**
 * Called for each message, in the order of the conversation. If it throws or its process ends, it is called again for the same message, and
 * repeats its calls to other services with the same idempotency keys.
 */
export type Respond = (app: App, clinic: Clinic, incoming: Incoming) => Promise<Answer | undefined>;

const READS = new Set<Effect['kind']>([
  'types',
  'doctors',
  'days',
  'times',
  'workingHours',
  'clinic',
  'offered',
  'appointments',
  'family',
  'faqs',
  'openQuestion',
]);

export const respond: Respond = async (app, clinic, { message_id: messageId, phone, patient_id: patientId, ...incoming }) => {
  const now = app.clock.now();
  const { patient_name: patientName, profile_name: profileName } = incoming;
  const clinicTexts = toClinicTexts(incoming.texts);
  const sayIn: Facts['sayIn'] = (language) => textsIn(language, clinic.name, clinicTexts);
  const facts: Facts = { now, sentAt: incoming.sent_at, zone: clinic.timezone, patientName, profileName, sayIn };
  const input = toInput(incoming.type, incoming.content);
  // A text after what a user wrote may answer the user, and so answers no earlier question. A button says which question it answers.
  const isChosen = input.kind === 'choice' || input.kind === 'preference';
  const session = resumeSession(incoming.session, incoming.user_wrote && !isChosen ? new Date(0) : (incoming.session_at ?? now), now);
  const asked = incoming.asked.filter(({ isQuoted, isEnded }) => isChosen || isQuoted || !isEnded);
  const sender = { clinicId: clinic.id, phone, patientId, messageId, asked };
  const turn = takeTurn(session, input, facts);
  const read = new Map<string, ReturnType<typeof performEffect>>();
  /** Repeated reads share one result until the turn changes something. */
  function perform(effect: Effect) {
    const key = JSON.stringify(effect);
    const result = read.get(key) ?? performEffect(app, sender, effect);
    if (READS.has(effect.kind)) read.set(key, result);
    else read.clear();
    return result;
  }
  let next = turn.next();
  while (!next.done) next = turn.next(await perform(next.value));
  const { session: nextSession, reply, handOver } = next.value;
  return { session: nextSession, ...(reply && { content: reply }), ...(handOver && { handOver }) };
};
