// The state of a conversation with the bot, and the effects that a turn may request. A turn is a generator: it yields an effect, receives its
// result, and returns the reply. The decisions of the bot therefore need no I/O.
import type { DayWish, Language } from '@clinic/lib/formats/day-text.ts';
import type { HandoverReason } from '../../conversations/takeover-rules.ts';
import type { Faq } from '../../faq/faq-match-rules.ts';
import type { Outgoing } from '../../outbound/outgoing-content-rules.ts';
import type { AppointmentAction, Purpose, Wait } from './button-ids.ts';
import type { TimeWish } from './parse-free-time.ts';
import type { Say } from './texts.ts';

/** The start of a doctor's slot: YYYY-MM-DD and HH:MM in the clinic's zone. */
export type Slot = { doctorId: string; doctorName: string; date: string; time: string };

/** An appointment type that patients can book. If `doctorIds` is empty, every doctor offers it. */
export type AppointmentType = { id: string; name: string; minutes: number; doctorIds: string[] };

/** The type and the length that a slot must allow. */
export type Needs = { typeId?: string | undefined; minutes?: number | undefined };

export type Appointment = Slot & Needs & { id: string; patientName: string; status: string };

/** A slot that a draft holds. The button ids of a question contain its nonce, which distinguishes them from those of an older question. */
type Held = { slot: Slot; typeId?: string | undefined; draftId: string; nonce: string };

/** An entry of the waitlist whose patient is not known yet. The nonce is as in `Held`. */
export type WaitlistRequest = { doctorId: string; doctorName: string; wait: Wait; typeId?: string | undefined; nonce: string };

/** The current question. `menu`: the menu was the last reply. If `wait` is set, the type or the doctor is chosen for the waitlist. `full` is a day without free times. */
export type Step =
  | { name: 'idle'; done?: string; menu?: true }
  | { name: 'type'; page: number; wait?: Wait | undefined }
  | { name: 'doctor'; page: number; typeId?: string | undefined; wait?: Wait | undefined }
  | ({ name: 'day'; doctorId: string; doctorName: string; from: string; full?: string | undefined } & Purpose)
  | ({ name: 'time'; doctorId: string; doctorName: string; date: string; page: number } & Purpose)
  | ({ name: 'whom' } & Held)
  | ({ name: 'name' } & Held)
  | ({ name: 'wait_whom' } & WaitlistRequest)
  | ({ name: 'wait_name' } & WaitlistRequest)
  | ({ name: 'confirm' } & Named & Held)
  | { name: 'confirm_move'; slot: Slot; move: string; nonce: string }
  | { name: 'appointment'; action: AppointmentAction }
  | { name: 'confirm_cancel'; appointmentId: string };

export type StepOf<N extends Step['name']> = Extract<Step, { name: N }>;

/**
 * What the patient asked for before the question for it: the day, the time of day, the doctor, and in whose name. `forOther`: whether for a person
 * other than the sender.
 */
export type Wish = TimeWish & { day?: DayWish; doctorId?: string; name?: string; forOther?: boolean };

/**
 * `misses`: how many messages in a row, including the last one, were not understood. `offersPerson`: whether the last reply asked whether a person
 * shall help. `doneAt`: when a request of the patient was last carried out or dropped, in ISO 8601.
 */
export type Session = {
  language: Language;
  optedOut: boolean;
  step: Step;
  wish?: Wish | undefined;
  misses?: number | undefined;
  offersPerson?: boolean | undefined;
  doneAt?: string | undefined;
};

/** The session as bot_sessions.state stores it (docs/persisted-names.md), with the names of the first release. */
export type StoredSession = Omit<Session, 'step'> & {
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

const SESSION_MS = 30 * 60_000;

/** After half an hour of silence the conversation starts over; only the language and the choice about recalls are retained. */
export function resumeSession(stored: StoredSession | null, storedAt: Date, now: Date): Session {
  if (!stored) return { language: 'es', optedOut: false, step: { name: 'idle' } };
  const session = decodeSession(stored);
  return now.getTime() - storedAt.getTime() < SESSION_MS ? session : { language: session.language, optedOut: session.optedOut, step: { name: 'idle' } };
}

/** A message of the patient. `choice` is the id of a button or a preference. */
export type Input = { kind: 'text' | 'choice' | 'preference' | 'file' | 'audio' | 'location' | 'contact' | 'order' | 'unknown'; text: string; choice: string };

/** What a turn knows before its first effect. */
export type Facts = {
  now: Date;
  /** When the message was sent; unlike `now`, it stays the same when the turn is retried. */
  sentAt: Date;
  zone: string;
  patientName: string | null;
  profileName: string | null;
  /** The bot's texts in a language, with those that the clinic has replaced. */
  sayIn: (language: Language) => Say;
};

/** What patients ask about the clinic; null if it is not entered. `hours`: the doctors' weekly hours, weekday 1 is Monday, HH:MM. */
export type ClinicFacts = { phone: string | null; address: string | null; hours: { weekday: number; from: string; to: string }[] };

export type Person = { id: string; name: string; isDependant?: true };

/** The patient of a booking or a waitlist entry: without `patientId`, the one who has the phone. `notes` is another name that the sender gave. */
export type Named = { patientName: string; patientId?: string | undefined; notes?: string | undefined };

/** The question in the last message that the clinic sent unprompted, or in the one that the message quotes. */
export type OpenQuestion = { askedAt: Date; isQuoted: boolean } & (
  | { kind: 'reminder'; appointmentId: string }
  | { kind: 'waitlist'; entryId: string; offerId: string }
  | { kind: 'recall' }
);

/** `reason` is the error reason of a refusal. */
export type Outcome<T = unknown> = ({ ok: true } & T) | { ok: false; reason: string };

/** What free times must allow. The time of the appointment `appointmentId`, which is moved, counts as free. */
export type Wanted = Needs & { appointmentId?: string | undefined };

type SlotStart = { doctorId: string; date: string; time: string };
type Typed = { typeId?: string | undefined };

/** Every effect, with its arguments and its result. */
export type Effects = {
  doctors: { args: object; result: { id: string; name: string; specialty: string }[] };
  types: { args: object; result: AppointmentType[] };
  days: { args: { doctorId: string; month: string } & Wanted; result: { date: string; free: number }[] };
  times: { args: { doctorId: string; date: string } & Wanted; result: string[] };
  clinic: { args: object; result: ClinicFacts };
  /** When the doctor works on the date, HH:MM, without breaks; empty without hours on that weekday, and on a vacation. */
  workingHours: { args: { doctorId: string; date: string }; result: { from: string; to: string }[] };
  appointments: { args: object; result: Appointment[] };
  /** The patient who has the phone, then the patient's dependants. */
  family: { args: object; result: Person[] };
  faqs: { args: object; result: Faq[] };
  openQuestion: { args: object; result: OpenQuestion | undefined };
  hold: { args: SlotStart & Typed; result: Outcome<{ draftId: string }> };
  drop: { args: { draftId: string }; result: Outcome };
  book: { args: SlotStart & Typed & Named & { draftId?: string }; result: Outcome };
  move: { args: { appointmentId: string } & SlotStart; result: Outcome };
  /** Records that the patient will come. */
  confirm: { args: { appointmentId: string }; result: Outcome };
  status: { args: { appointmentId: string; status: 'cancelled' }; result: Outcome };
  /** Adds the patient to the waitlist; `from` and `to` are dates. */
  join: { args: { doctorId: string; from: string; to: string } & Typed & Named; result: Outcome };
  /** The slot that is offered, and the name of the person if it is not the patient; undefined if the offer is over. */
  offered: { args: { entryId: string; offerId: string }; result: (Slot & { patientName: string }) | undefined };
  offer: { args: { entryId: string; offerId: string; accept: boolean }; result: Outcome<{ appointment?: Appointment }> };
  recall: { args: { optIn: boolean }; result: Outcome };
};

export type Effect = { [K in keyof Effects]: { kind: K } & Effects[K]['args'] }[keyof Effects];

/** At most one message, and whether a person is to take over. */
export type TurnResult = { session: Session; reply?: Outgoing; handOver?: HandoverReason };
export type Turn<T = TurnResult> = Generator<Effect, T, unknown>;

export function* request<K extends keyof Effects>(kind: K, args: Effects[K]['args']): Turn<Effects[K]['result']> {
  return (yield { kind, ...args } as Effect) as Effects[K]['result'];
}

/**
 * What every part of a turn receives. `text` is the message without frequent misspellings; names are read from `input.text`. `words` is `text` as
 * foldPhrase() returns it, empty if the message is no text. `preface` is put before the next question. `misses` and `offersPerson` are those of the
 * session before the message.
 */
export type Context = {
  session: Session;
  input: Input;
  facts: Facts;
  say: Say;
  text: string;
  words: string;
  misses: number;
  offersPerson: boolean;
  preface?: string;
};
