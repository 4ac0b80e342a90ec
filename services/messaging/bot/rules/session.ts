// The state of a conversation with the bot, and the effects that a turn may ask for. A turn is a generator: it yields an effect, is given
// its result, and returns the reply. So all decisions of the bot are made without I/O.
import type { Language } from '@clinic/lib/formats/day-text.ts';
import type { Faq } from '../../faq/faq-match-rules.ts';
import type { Outgoing } from '../../outbound/outgoing-content-rules.ts';
import type { AppointmentAction, Purpose, Wait } from './button-ids.ts';
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

/** What is entered in the waitlist once its patient is known. The nonce is as in `Held`. */
export type Wish = { doctorId: string; doctorName: string; wait: Wait; typeId?: string | undefined; nonce: string };

/** The question that waits for an answer. With `wait` the type and the doctor are those of the waitlist; `full` is a day without free times. */
export type Step =
  | { name: 'idle'; done?: string }
  | { name: 'type'; page: number; wait?: Wait | undefined }
  | { name: 'doctor'; page: number; typeId?: string | undefined; wait?: Wait | undefined }
  | ({ name: 'day'; doctorId: string; doctorName: string; from: string; full?: string | undefined } & Purpose)
  | ({ name: 'time'; doctorId: string; doctorName: string; date: string; page: number } & Purpose)
  | ({ name: 'whom' } & Held)
  | ({ name: 'name' } & Held)
  | ({ name: 'wait_whom' } & Wish)
  | ({ name: 'wait_name' } & Wish)
  | ({ name: 'confirm' } & Named & Held)
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
  /** When the message was sent: the same each time the turn is taken. */
  sentAt: Date;
  zone: string;
  patientName: string | null;
  profileName: string | null;
  /** The texts of the clinic in a language. */
  sayIn: (language: Language) => Say;
};

/** A patient. */
export type Person = { id: string; name: string };

/** For whom it is: without `patientId` the patient who has the phone. `notes` is another name, which that patient gave. */
export type Named = { patientName: string; patientId?: string | undefined; notes?: string | undefined };

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
  book: { args: SlotStart & Typed & Named & { draftId?: string }; result: Outcome };
  move: { args: { appointmentId: string } & SlotStart; result: Outcome };
  /** The patient will come. */
  confirm: { args: { appointmentId: string }; result: Outcome };
  status: { args: { appointmentId: string; status: 'cancelled' }; result: Outcome };
  /** Enters the patient in the waitlist; `from` and `to` are dates. */
  join: { args: { doctorId: string; from: string; to: string } & Typed & Named; result: Outcome };
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
