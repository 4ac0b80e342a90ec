// The state of a conversation with the bot, and the effects that a turn may ask for. A turn is a generator: it yields an effect, is given
// its result, and returns the reply. So all decisions of the bot are made without I/O.
import type { Language } from '@clinic/lib/formats/day-text.ts';
import type { Faq } from '../../faq/faq-match-rules.ts';
import type { Outgoing } from '../../outbound/outgoing-content-rules.ts';
import type { AppointmentAction, Purpose } from './button-ids.ts';
import type { Say } from './texts.ts';

/** A start of a doctor's slot: YYYY-MM-DD and HH:MM in the clinic's zone. */
export type Slot = { doctorId: string; doctorName: string; date: string; time: string };

/** A type of appointments that patients can book. Without `doctorIds` every doctor offers it. */
export type AppointmentType = { id: string; name: string; minutes: number; doctorIds: string[] };

/** What slots must fit. */
export type Needs = { typeId?: string | undefined; minutes?: number | undefined };

export type Appointment = Slot & Needs & { id: string; patientName: string; status: string };

/** A slot that is held by a draft. The ids of its buttons contain the nonce; those of another question have another one. */
type Held = { slot: Slot; typeId?: string | undefined; draftId: string; nonce: string };

/** The question that waits for an answer. */
export type Step =
  | { name: 'idle'; done?: string }
  | { name: 'type'; page: number }
  | { name: 'doctor'; page: number; typeId?: string | undefined }
  | ({ name: 'day'; doctorId: string; doctorName: string; from: string } & Purpose)
  | ({ name: 'time'; doctorId: string; doctorName: string; date: string; page: number } & Purpose)
  | ({ name: 'whom' } & Held)
  | ({ name: 'name' } & Held)
  | ({ name: 'confirm'; patientName: string; patientId?: string | undefined; notes?: string | undefined } & Held)
  | { name: 'confirm_move'; slot: Slot; move: string; nonce: string }
  | { name: 'appointment'; action: AppointmentAction }
  | { name: 'confirm_cancel'; appointmentId: string };

export type StepOf<N extends Step['name']> = Extract<Step, { name: N }>;

export type Session = { language: Language; optedOut: boolean; step: Step };

/** As bot_sessions.state stores it (docs/persisted-names.md), with the names of the first release. */
export type StoredSession = {
  language: Language;
  optedOut: boolean;
  step:
    | Exclude<Step, StepOf<'appointment'> | StepOf<'confirm_cancel'>>
    | { name: 'visit'; action: AppointmentAction } // plain-words: visit is stored
    | { name: 'confirm_cancel'; visitId: string }; // plain-words: visit is stored
};

export function encodeSession({ step, ...session }: Session): StoredSession {
  if (step.name === 'appointment') return { ...session, step: { ...step, name: 'visit' } }; // plain-words: visit is stored
  if (step.name === 'confirm_cancel') return { ...session, step: { name: step.name, visitId: step.appointmentId } }; // plain-words: visit is stored
  return { ...session, step };
}

export function decodeSession({ step, ...session }: StoredSession): Session {
  if (step.name === 'visit') return { ...session, step: { ...step, name: 'appointment' } }; // plain-words: visit is stored
  if (step.name === 'confirm_cancel') return { ...session, step: { name: step.name, appointmentId: step.visitId } }; // plain-words: visit is stored
  return { ...session, step };
}

export const SESSION_MS = 30 * 60_000;

/** After half an hour of silence a conversation starts at the beginning; the language and the choice about recall stay. */
export function resumeSession(stored: StoredSession | null, storedAt: Date, now: Date): Session {
  if (!stored) return { language: 'es', optedOut: false, step: { name: 'idle' } };
  const session = decodeSession(stored);
  return now.getTime() - storedAt.getTime() < SESSION_MS ? session : { ...session, step: { name: 'idle' } };
}

/** A message of the patient. `choice` is the id of a button or a preference. */
export type Input = { kind: 'text' | 'choice' | 'preference' | 'file' | 'audio' | 'location' | 'contact' | 'order' | 'unknown'; text: string; choice: string };

/** What is known before any effect. */
export type Facts = {
  now: Date;
  zone: string;
  patientName: string | null;
  profileName: string | null;
  /** The texts of the clinic in a language. */
  sayIn: (language: Language) => Say;
};

/** A patient. */
export type Person = { id: string; name: string };

/** What the patient was last asked by a message that the clinic sent unprompted. */
export type OpenQuestion = { kind: 'reminder'; appointmentId: string } | { kind: 'waitlist'; entryId: string; offerId: string } | { kind: 'recall' };

/** `reason` is an error reason of the service that refused. */
export type Outcome<T = unknown> = ({ ok: true } & T) | { ok: false; reason: string };

type SlotStart = { doctorId: string; date: string; time: string };
type Typed = { typeId?: string | undefined };

/** Every effect, with its arguments and its result. */
export type Effects = {
  doctors: { args: object; result: { id: string; name: string; specialty: string }[] };
  types: { args: object; result: AppointmentType[] };
  days: { args: { doctorId: string; month: string } & Needs; result: { date: string; free: number }[] };
  times: { args: { doctorId: string; date: string } & Needs; result: string[] };
  appointments: { args: object; result: Appointment[] };
  /** The patient who has the phone, then the patient's dependants. */
  family: { args: object; result: Person[] };
  faqs: { args: object; result: Faq[] };
  openQuestion: { args: object; result: OpenQuestion | undefined };
  hold: { args: SlotStart & Typed; result: Outcome<{ draftId: string }> };
  drop: { args: { draftId: string }; result: Outcome };
  /** Without `patientId` for the patient who has the phone. */
  book: { args: SlotStart & Typed & { patientName: string; patientId?: string | undefined; notes?: string | undefined; draftId?: string }; result: Outcome };
  move: { args: { appointmentId: string } & SlotStart; result: Outcome };
  /** The patient will come. */
  confirm: { args: { appointmentId: string }; result: Outcome };
  status: { args: { appointmentId: string; status: 'cancelled' }; result: Outcome };
  offer: { args: { entryId: string; offerId: string; accept: boolean }; result: Outcome<{ appointment?: Appointment }> };
  recall: { args: { optIn: boolean }; result: Outcome };
};

export type Effect = { [K in keyof Effects]: { kind: K } & Effects[K]['args'] }[keyof Effects];

/** At most one message, and whether a person shall take over. */
export type TurnResult = { session: Session; reply?: Outgoing; handOver?: true };
export type Turn<T = TurnResult> = Generator<Effect, T, unknown>;

export function* request<K extends keyof Effects>(kind: K, args: Effects[K]['args']): Turn<Effects[K]['result']> {
  return (yield { kind, ...args } as Effect) as Effects[K]['result'];
}

/**
 * What every part of a turn is given. `words` is the text as foldPhrase() gives it; empty when the message has none. `preface` is said before
 * the next question.
 */
export type Context = { session: Session; input: Input; facts: Facts; say: Say; words: string; preface?: string };
