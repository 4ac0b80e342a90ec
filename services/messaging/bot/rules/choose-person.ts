// The person for whom an appointment or a waitlist entry is, and the question that confirms a booking.
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { LIMITS } from '../../outbound/outgoing-content-rules.ts';
import { appointmentLine } from './appointment-line.ts';
import { encodeButtonId } from './button-ids.ts';
import { isForMyself, parseIntroducedName, parsePersonName } from './parse-person-name.ts';
import { findByName, findByPlace, isPartOf } from './pick-from-list.ts';
import { type ActionRow, askAt, buttonsReply, listReply, MOST_ROWS, textReply, withoutPreface } from './replies.ts';
import {
  type Context,
  type Named,
  type Person,
  request,
  type Slot,
  type Step,
  type StepOf,
  type Turn,
  type TurnResult,
  type WaitlistRequest,
} from './session.ts';
import { joinWaitlist } from './waitlist.ts';

type HeldSlot = { slot: Slot; typeId?: string | undefined; draftId: string };

/** A booking or a waitlist entry that lacks its patient. */
type Pending = HeldSlot | WaitlistRequest;

/** The line of an appointment, with the patient's name unless the patient is the sender. */
export function lineOf(c: Context, slot: Slot & { patientName?: string }) {
  const { patientName = '' } = slot;
  const isOwn = patientName === '' || c.facts.patientName === null || foldPhrase(patientName) === foldPhrase(c.facts.patientName);
  return appointmentLine({ ...slot, person: isOwn ? undefined : patientName }, c.session.language);
}

/** Asks for the name, or for whom it is when the phone belongs to a patient, unless an earlier message has named the person. */
export function* askPerson(c: Context, pending: Pending): Turn {
  const { name, ...wish } = c.session.wish ?? {};
  if (name !== undefined) return yield* takeName({ ...c, session: { ...c.session, wish } }, pending, name, wish.forOther);
  if (!c.facts.patientName) return askForName(c, pending);
  // Without dependants, there is nobody to choose: the relative is not a patient.
  const isForOther = wish.forOther && (yield* request('family', {})).length <= 1;
  return isForOther ? askOtherName(c, pending) : yield* askWhom(c, pending);
}

/** Asks to confirm the booking, or joins the waitlist. */
export function* continueFor(c: Context, pending: Pending, person: Named): Turn {
  return 'slot' in pending ? askToBook(c, pending, person) : yield* joinWaitlist(c, pending, person);
}

const nonceOf = (pending: Pending) => ('slot' in pending ? pending.draftId : pending.nonce);

/** The step that asks for the person, and its question. */
function toQuestion(c: Context, asked: 'whom' | 'name', pending: Pending): { step: Step; text: string } {
  if ('slot' in pending) {
    const { slot, typeId, draftId } = pending;
    return { step: { name: asked, slot, typeId, draftId, nonce: draftId }, text: c.say(asked === 'whom' ? 'whom' : 'which_name', { cita: lineOf(c, slot) }) };
  }
  const { doctorId, doctorName, wait, typeId, nonce } = pending;
  const name = asked === 'whom' ? 'wait_whom' : 'wait_name';
  return { step: { name, doctorId, doctorName, wait, typeId, nonce }, text: c.say(name, { doctor: doctorName }) };
}

/** The patient who has the phone: by id, because the stored name may be corrected before the booking. */
function* findOwner(c: Context): Turn<Named> {
  const owner = (yield* request('family', {})).find(({ isDependant }) => !isDependant);
  return owner ? toNamed(owner) : { patientName: c.facts.patientName ?? '' };
}

export function* continueForOwner(c: Context, pending: Pending): Turn {
  return yield* continueFor(c, pending, yield* findOwner(c));
}

/** Asks for which of the patients whom the phone reaches. If there is only one, continues with the one who has it, without the preface. */
export function* askWhom(c: Context, pending: Pending): Turn {
  const family = yield* request('family', {});
  if (family.length <= 1) return yield* continueForOwner(withoutPreface(c), pending);
  const nonce = nonceOf(pending);
  const rows: ActionRow[] = family.slice(0, MOST_ROWS - 1).map(({ id, name }) => ({ action: { kind: 'whom', patientId: id, nonce }, title: name }));
  rows.push({ action: { kind: 'answer', answer: 'other', nonce }, title: c.say('other_person') });
  const { step, text } = toQuestion(c, 'whom', pending);
  return askAt(c, step, listReply(c, text, 'people_button', rows));
}

/** The person whom a name means: the whole name or a part of it. Undefined when there is none, or several. */
export function findPerson(family: Person[], name: string): Person | undefined {
  const hits = family.filter((one) => isPartOf(name, one.name));
  return family.find((one) => foldPhrase(one.name) === foldPhrase(name)) ?? (hits.length === 1 ? hits[0] : undefined);
}

/** By number in the list, or by name, which may be that of another person; undefined when the message names nobody. */
export function* answerWhom(c: Context, step: StepOf<'whom' | 'wait_whom'>): Turn<TurnResult | undefined> {
  const { text } = c.input;
  const family = yield* request('family', {});
  const name = parsePersonName(text);
  const named = name === undefined ? findByName(family, c.words) : findPerson(family, name);
  if (isForMyself(c.words) && c.facts.patientName) return yield* continueForOwner(c, step);
  const person = findByPlace(family, c.words) ?? named;
  if (person) return yield* continueFor(c, step, toNamed(person));
  const other = parseIntroducedName(text, true);
  return other === undefined ? undefined : yield* takeName(c, step, other);
}

export const toNamed = ({ id, name }: Person): Named => ({ patientName: name, patientId: id });

/** Asks for a name. When the phone belongs to no patient, the name of the sender's profile is a button, provided that it is a person's name. */
export function askForName(c: Context, pending: Pending) {
  return askOtherName(c, pending, suggestedName(c));
}

export function suggestedName({ facts: { patientName, profileName } }: Context): string | undefined {
  const name = patientName ? undefined : parsePersonName(profileName ?? '');
  return name && name.length <= LIMITS.buttonTitle ? name : undefined;
}

/** Asks for a name; `suggestion` is one to choose with a button. */
export function askOtherName(c: Context, pending: Pending, suggestion?: string) {
  const { step, text } = toQuestion(c, 'name', pending);
  if (suggestion === undefined) return askAt(c, step, textReply(text));
  return askAt(c, step, { text, choices: [{ id: encodeButtonId({ kind: 'answer', answer: 'name', nonce: nonceOf(pending) }), title: suggestion }] });
}

/**
 * The phone of a patient keeps the patient's name; a name that is neither the patient's nor a dependant's becomes a note. `isForOther`: the name is
 * that of a relative, and so not the patient's.
 */
export function* takeName(c: Context, step: Pending, name: string, isForOther = false): Turn {
  const { patientName } = c.facts;
  if (!patientName) return yield* continueFor(c, step, { patientName: name });
  const family = yield* request('family', {});
  const person = findPerson(isForOther ? family.filter(({ isDependant }) => isDependant) : family, name);
  return yield* continueFor(c, step, person ? toNamed(person) : { ...(yield* findOwner(c)), notes: name });
}

export function askToBook(c: Context, { slot, typeId, draftId }: HeldSlot, { patientName, patientId, notes }: Named) {
  const nonce = draftId;
  const reply = buttonsReply(
    c,
    c.say('confirm_booking', { cita: lineOf(c, slot), nombre: notes ?? patientName }),
    [{ kind: 'answer', answer: 'yes', nonce }, 'yes_book'],
    [{ kind: 'answer', answer: 'other', nonce }, 'other_name'],
    [{ kind: 'answer', answer: 'no', nonce }, 'no_thanks'],
  );
  return askAt(c, { name: 'confirm', slot, typeId, draftId, nonce, patientName, patientId, notes }, reply);
}
