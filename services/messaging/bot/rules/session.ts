// Where a talk with the bot stands, and what it may ask of the world. A talk is a generator: it yields what it needs to know or
// wants done, is given the answer, and returns what to say. So the whole of it is decided here, without I/O.

import type { Faq } from '../../faq/faq-match-rules.ts';
import type { Outgoing } from '../../outbound/outgoing-rules.ts';
import type { Language, Say } from './texts.ts';

/** A start of a doctor's slot: YYYY-MM-DD and HH:MM in the clinic's zone. */
export type Slot = { doctorId: string; doctorName: string; date: string; time: string };

export type Visit = { id: string; doctorId: string; doctorName: string; patientName: string; date: string; time: string; status: string };

/** A slot that is held. The buttons of the question carry the nonce: those of another question are stale. */
type Held = { slot: Slot; draftId: string; nonce: string };

export type Step =
  | { name: 'idle'; done?: string }
  | { name: 'doctor'; page: number }
  | { name: 'day'; doctorId: string; doctorName: string; from: string; move?: string }
  | { name: 'time'; doctorId: string; doctorName: string; date: string; page: number; move?: string }
  | ({ name: 'name' } & Held)
  | ({ name: 'confirm'; patientName: string; notes?: string } & Held)
  | { name: 'confirm_move'; slot: Slot; move: string; nonce: string }
  | { name: 'visit'; action: VisitAction }
  | { name: 'confirm_cancel'; visitId: string };

export type VisitAction = 'show' | 'confirm' | 'move' | 'cancel' | 'drop';

export type Session = { language: Language; optedOut: boolean; step: Step };

/** A message of the patient. `id` names it for good. */
export type Input = { id: string; kind: 'text' | 'choice' | 'preference' | 'other'; text: string; choice: string };

/** What is known before anything is asked. */
export type Facts = {
  now: Date;
  zone: string;
  phone: string;
  patientName: string | null;
  profileName: string | null;
  /** Speaks a language in the clinic's words. */
  speak: (language: Language) => Say;
};

/** What the patient was asked last by a message that nobody had asked for. */
export type Asked =
  | { kind: 'reminder'; appointmentId: string }
  | { kind: 'waitlist'; entryId: string; offerId: string }
  | { kind: 'recall'; contactId: string };

export type Done<T = unknown> = ({ ok: true } & T) | { ok: false; reason: string };

/** Everything that a talk may ask, with its answer. */
export type Needs = {
  doctors: { ask: object; answer: { id: string; name: string; specialty: string }[] };
  days: { ask: { doctorId: string; month: string }; answer: { date: string; free: number }[] };
  times: { ask: { doctorId: string; date: string }; answer: string[] };
  visits: { ask: object; answer: Visit[] };
  faqs: { ask: object; answer: Faq[] };
  asked: { ask: object; answer: Asked | undefined };
  hold: { ask: { doctorId: string; date: string; time: string }; answer: Done<{ draftId: string }> };
  drop: { ask: { draftId: string }; answer: Done };
  book: { ask: { doctorId: string; date: string; time: string; patientName: string; notes?: string; draftId?: string }; answer: Done };
  move: { ask: { visitId: string; doctorId: string; date: string; time: string }; answer: Done };
  status: { ask: { visitId: string; status: 'confirmed' | 'cancelled' }; answer: Done };
  offer: { ask: { entryId: string; offerId: string; accept: boolean }; answer: Done<{ visit?: Visit }> };
  recall: { ask: { optIn: boolean }; answer: Done };
};

export type Need = { [K in keyof Needs]: { kind: K } & Needs[K]['ask'] }[keyof Needs];
/** At most one message, and whether a person is asked for. */
export type Turned = { session: Session; reply?: Outgoing; handOver?: true };
export type Talk<T = Turned> = Generator<Need, T, unknown>;

/** Asks for one thing; whoever runs the talk answers it. */
export function* ask<K extends keyof Needs>(kind: K, given: Needs[K]['ask']): Talk<Needs[K]['answer']> {
  return (yield { kind, ...given } as Need) as Needs[K]['answer'];
}

/** What every part of a talk is given. */
export type Context = { session: Session; input: Input; facts: Facts; say: Say; said: string };

export const SESSION_MS = 30 * 60_000;

/** A talk that has been silent for half an hour begins anew; the language and the choice about recall stay. */
export function resume(kept: Session | undefined, keptAt: Date, now: Date): Session {
  const { language = 'es', optedOut = false, step } = kept ?? {};
  const alive = step && now.getTime() - keptAt.getTime() < SESSION_MS;
  return { language, optedOut, step: alive ? step : { name: 'idle' } };
}
