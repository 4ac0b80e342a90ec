// Booking step by step: type, doctor, day, time, name, confirmation. Moving an appointment uses the same questions for day and time, joining
// the waitlist those for type, doctor and name.
// What is free is asked again at each step, so that a button of an old list offers nothing that is gone.
import { formatClockTime, formatLongDay, formatShortDay } from '@clinic/lib/formats/day-text.ts';
import { addDays, dateIn, nextMonth } from '@clinic/lib/formats/local-date.ts';
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { appointmentLine } from './appointment-line.ts';
import { encodeButtonId, type Purpose, type Wait, WEEKS } from './button-ids.ts';
import { parsePersonName } from './parse-person-name.ts';
import { type ActionRow, askAt, buttonsReply, finish, handOver, listReply, MOST_ROWS, menu, textReply, withoutPreface, withPreface } from './replies.ts';
import {
  type AppointmentType,
  type Context,
  type Named,
  type Needs,
  type Outcome,
  type Person,
  request,
  type Slot,
  type Step,
  type StepOf,
  type Turn,
  type TurnResult,
  type Wish,
} from './session.ts';
import { joinWaitlist } from './waitlist.ts';

type Doctor = { id: string; name: string };

export const doctorOf = ({ doctorId, doctorName }: { doctorId: string; doctorName: string }): Doctor => ({ id: doctorId, name: doctorName });

const MONTHS_AHEAD = 4;
const TIMES_A_PAGE = 7;

/** With the name when the appointment is that of a dependant. */
export function lineOf(c: Context, slot: Slot & { patientName?: string }) {
  const { patientName = '' } = slot;
  const isOwn = patientName === '' || c.facts.patientName === null || foldPhrase(patientName) === foldPhrase(c.facts.patientName);
  return appointmentLine(slot, c.session.language) + (isOwn ? '' : `, ${patientName}`);
}

/** Whether the slot cannot be had. */
export const isGone = (outcome: Outcome) => !outcome.ok && (outcome.reason === 'SLOT_TAKEN' || outcome.reason === 'SLOT_UNAVAILABLE');

/** Only of a slot that is occupied it is said that it was taken. */
export const goneText = (c: Context, outcome: Outcome) => c.say(!outcome.ok && outcome.reason === 'SLOT_TAKEN' ? 'slot_taken' : 'slot_unavailable');

/** What a type and a doctor are chosen for: a booking, or with `wait` the waitlist. */
type Wanted = { typeId?: string | undefined; wait?: Wait | undefined };

/** Begins a booking. Goes on with the type that the message names, or with the only one; a clinic may have none that patients can book. */
export function* chooseType(c: Context, wait?: Wait): Turn {
  const types = yield* request('types', {});
  const only = types.length === 1 ? types[0] : findNamed(types, c.words);
  return types.length === 0 || only ? yield* chooseDoctor(c, { typeId: only?.id, wait }) : askType(c, types, { page: 0, wait });
}

/** What was chosen is no longer offered. */
export const chooseTypeAgain = (c: Context, wait?: Wait) => chooseType({ ...c, preface: c.say('stale') }, wait);

type TypePage = { page: number; wait?: Wait | undefined };

export function askType(c: Context, types: AppointmentType[], { page, wait }: TypePage) {
  const rows = pageOf(types, page).map(({ id, name, minutes }): ActionRow => {
    const length = c.say('minutes', { n: String(minutes) });
    return { action: { kind: 'type', typeId: id, wait }, title: name, description: name.length > 24 ? `${name}, ${length}` : length };
  });
  if (types.length > MOST_ROWS) rows.push({ action: { kind: 'types', page: nextPage(types, page), wait }, title: c.say('more') });
  return askAt(c, { name: 'type', page, wait }, listReply(c, c.say('which_type'), 'types_button', rows));
}

export function* askTypePage(c: Context, at: TypePage): Turn {
  const types = yield* request('types', {});
  return types.length === 0 ? yield* chooseDoctor(c, { wait: at.wait }) : askType(c, types, at);
}

/** By number in the list, or by name; undefined when the message names no type. */
export function* answerType(c: Context, { page, wait }: StepOf<'type'>) {
  const types = yield* request('types', {});
  const type = numbered(pageOf(types, page), c.words) ?? findNamed(types, c.words);
  return type && (yield* chooseDoctor(c, { typeId: type.id, wait }));
}

/** Whether the clinic offers the type for new appointments; without a type, whether it has none. */
export function* isBookable(typeId: string | undefined): Turn<boolean> {
  const types = yield* request('types', {});
  return typeId === undefined ? types.length === 0 : types.some(({ id }) => id === typeId);
}

/** The doctors who offer the type. */
export function* listDoctors(typeId: string | undefined): Turn<(Doctor & { specialty: string })[]> {
  const doctors = yield* request('doctors', {});
  const type = typeId === undefined ? undefined : (yield* request('types', {})).find(({ id }) => id === typeId);
  return type && type.doctorIds.length > 0 ? doctors.filter(({ id }) => type.doctorIds.includes(id)) : doctors;
}

/** Goes on with the doctor whom the message names, or with the only one. */
export function* chooseDoctor(c: Context, wanted: Wanted): Turn {
  const doctors = yield* listDoctors(wanted.typeId);
  if (doctors.length === 0) return handOver(c, c.say('no_doctors'));
  const only = doctors.length === 1 ? doctors[0] : findNamed(doctors, c.words);
  return only ? yield* continueWith(c, only, wanted) : askDoctor(c, doctors, { page: 0, ...wanted });
}

function* continueWith(c: Context, doctor: Doctor, { typeId, wait }: Wanted): Turn {
  return wait === undefined ? yield* askDay(c, doctor, { typeId }) : yield* askToWait(c, doctor, wait, typeId);
}

/** Joins the waitlist as soon as the patient is known. Of a day that has free times they are shown instead. */
export function* askToWait(c: Context, doctor: Doctor, wait: Wait, typeId: string | undefined): Turn {
  if (wait !== WEEKS) {
    if (wait < dateIn(c.facts.zone, c.facts.now)) return yield* askDay({ ...c, preface: c.say('stale') }, doctor, { typeId });
    const isFree = (yield* listTimes(doctor.id, wait, { typeId })).length > 0;
    if (isFree) return yield* askTime({ ...c, preface: c.say('day_free') }, doctor, wait, { typeId });
  }
  // Compared as a whole and never taken apart.
  const nonce = [doctor.id, wait, ...(typeId === undefined ? [] : [typeId])].join('/');
  return yield* askPerson(c, { doctorId: doctor.id, doctorName: doctor.name, wait, typeId, nonce });
}

/** The one whose number in the list the message is. */
const numbered = <P>(listed: P[], words: string): P | undefined => listed[Number(/^ (\d{1,2}) $/.exec(words)?.[1] ?? 0) - 1];

const NO_NAMES = new Set(['cita', 'citas', 'appointment', 'dra', 'del', 'las', 'los', 'and', 'the']);

/** The one of whose name the message has a word that belongs to no other name. */
function findNamed<P extends { name: string }>(people: P[], words: string): P | undefined {
  const partsOf = (name: string) =>
    foldPhrase(name)
      .trim()
      .split(' ')
      .filter((part) => part.length > 2 && !NO_NAMES.has(part));
  const hits = people.map(({ name }) => partsOf(name).filter((part) => words.includes(` ${part} `)).length);
  const most = Math.max(...hits);
  return most > 0 && hits.filter((hit) => hit === most).length === 1 ? people[hits.indexOf(most)] : undefined;
}

/** A page of a list; where there are several pages, the last row leads to the next one. */
const pageOf = <D>(all: D[], page: number) => (all.length <= MOST_ROWS ? all : all.slice(page * (MOST_ROWS - 1), (page + 1) * (MOST_ROWS - 1)));
const nextPage = (all: unknown[], page: number) => ((page + 1) * (MOST_ROWS - 1) < all.length ? page + 1 : 0);

type DoctorPage = { page: number } & Wanted;

export function askDoctor(c: Context, doctors: (Doctor & { specialty: string })[], { page, typeId, wait }: DoctorPage) {
  const rows = pageOf(doctors, page).map(({ id, name, specialty }): ActionRow => {
    const description = [name.length > 24 && name, specialty].filter(Boolean).join(', ');
    const action = wait === undefined ? ({ kind: 'doctor', doctorId: id, typeId } as const) : ({ kind: 'wait', doctorId: id, wait, typeId } as const);
    return { action, title: name, ...(description && { description }) };
  });
  if (doctors.length > MOST_ROWS) rows.push({ action: { kind: 'doctors', page: nextPage(doctors, page), typeId, wait }, title: c.say('more') });
  return askAt(c, { name: 'doctor', page, typeId, wait }, listReply(c, c.say('which_doctor'), 'doctors_button', rows));
}

export function* askDoctorPage(c: Context, at: DoctorPage): Turn {
  const doctors = yield* listDoctors(at.typeId);
  return doctors.length === 0 ? handOver(c, c.say('no_doctors')) : askDoctor(c, doctors, at);
}

/** By number in the list, or by name; undefined when the message names no doctor. */
export function* answerDoctor(c: Context, { page, ...wanted }: StepOf<'doctor'>) {
  const doctors = yield* listDoctors(wanted.typeId);
  const doctor = numbered(pageOf(doctors, page), c.words) ?? findNamed(doctors, c.words);
  return doctor && (yield* continueWith(c, doctor, wanted));
}

type Options = Purpose & { from?: string; page?: number; full?: string | undefined };

/** A moved appointment keeps its type and its length. */
function* needsOf({ move, typeId }: Purpose): Turn<Needs> {
  if (move === undefined) return { typeId };
  const moved = (yield* request('appointments', {})).find(({ id }) => id === move);
  return { typeId: moved?.typeId, minutes: moved?.minutes };
}

/** The free times of a doctor's day. */
export function* listTimes(doctorId: string, date: string, purpose: Purpose): Turn<string[]> {
  return yield* request('times', { doctorId, date, ...(yield* needsOf(purpose)) });
}

/** The next days with free times, from `from` on. For the day `full`, or when there are none, it offers the waitlist to who wants to book. */
export function* askDay(c: Context, { id, name }: Doctor, { from, full, move, typeId }: Options): Turn {
  const today = dateIn(c.facts.zone, c.facts.now);
  const first = from && from > today ? from : today;
  const days = yield* listFreeDays(id, first, yield* needsOf({ move, typeId }));
  if (days.length === 0 && first > today) return yield* askDay(c, { id, name }, { full, move, typeId });
  if (days.length === 0) {
    const text = withPreface(c.preface, c.say('no_days', { doctor: name }));
    if (move) return finish(c, buttonsReply(c, text, 'do_book', 'do_person', 'do_menu'));
    return finish(c, buttonsReply(c, text, [{ kind: 'wait', doctorId: id, wait: WEEKS, typeId }, 'wait'], 'do_book', 'do_person'));
  }
  const waitRows: ActionRow[] =
    full === undefined || full < today || move
      ? []
      : [{ action: { kind: 'wait', doctorId: id, wait: full, typeId }, title: c.say('wait'), description: formatLongDay(full, c.session.language) }];
  const shown = days.slice(0, MOST_ROWS - 1 - waitRows.length);
  const rows: ActionRow[] = shown.map(({ date, free }) => ({
    action: { kind: 'day', doctorId: id, date, move, typeId },
    title: formatShortDay(date, c.session.language),
    description: free === 1 ? c.say('free_one') : c.say('free_many', { n: String(free) }),
  }));
  rows.push(...waitRows);
  const last = shown.at(-1)?.date ?? first;
  rows.push({ action: { kind: 'days', doctorId: id, date: days.length > shown.length ? addDays(last, 1) : today, move, typeId }, title: c.say('more') });
  const reply = listReply(c, c.say('which_day', { doctor: name }), 'days_button', rows);
  return askAt(c, { name: 'day', doctorId: id, doctorName: name, from: first, full, move, typeId }, reply);
}

function* listFreeDays(doctorId: string, from: string, needs: Needs): Turn<{ date: string; free: number }[]> {
  const days: { date: string; free: number }[] = [];
  let month = from.slice(0, 7);
  for (let i = 0; i < MONTHS_AHEAD && days.length < MOST_ROWS; i++, month = nextMonth(month)) {
    const inMonth = yield* request('days', { doctorId, month, ...needs });
    days.push(...inMonth.filter(({ date, free }) => free > 0 && date >= from));
  }
  return days;
}

/** The free times of a day, page by page. */
export function* askTime(c: Context, doctor: Doctor, date: string, { page = 0, move, typeId }: Options): Turn {
  const today = dateIn(c.facts.zone, c.facts.now);
  const times = date < today ? [] : yield* listTimes(doctor.id, date, { move, typeId });
  if (times.length === 0) return yield* askDay({ preface: c.say('day_full'), ...c }, doctor, { from: date, full: date, move, typeId });
  const first = page * TIMES_A_PAGE < times.length ? page * TIMES_A_PAGE : 0;
  const rows: ActionRow[] = times
    .slice(first, first + TIMES_A_PAGE)
    .map((time) => ({ action: { kind: 'time', doctorId: doctor.id, date, time, move, typeId }, title: formatClockTime(time, c.session.language) }));
  const next = first + TIMES_A_PAGE < times.length ? page + 1 : 0;
  if (times.length > TIMES_A_PAGE) rows.push({ action: { kind: 'times', doctorId: doctor.id, date, page: next, move, typeId }, title: c.say('more_times') });
  rows.push({ action: { kind: 'days', doctorId: doctor.id, date: today, move, typeId }, title: c.say('other_day') });
  const question = c.say('which_time', { doctor: doctor.name, dia: formatLongDay(date, c.session.language) });
  return askAt(c, { name: 'time', doctorId: doctor.id, doctorName: doctor.name, date, page, move, typeId }, listReply(c, question, 'times_button', rows));
}

/** Holds the slot. When it was taken meanwhile, offers the times that are left. */
export function* holdSlot(c: Context, slot: Slot, typeId: string | undefined): Turn {
  const { step } = c.session;
  const { doctorId, date, time } = slot;
  if ('draftId' in step) {
    if (step.slot.doctorId === doctorId && step.slot.date === date && step.slot.time === time && step.typeId === typeId) return yield* askPerson(c, step);
    yield* releaseSlot(c);
  }
  const held = yield* request('hold', { doctorId, date, time, typeId });
  if (!held.ok) return yield* askTime({ ...c, preface: goneText(c, held) }, doctorOf(slot), date, { typeId });
  return yield* askPerson(c, { slot, typeId, draftId: held.draftId });
}

/** Asks for no name when the phone belongs to a patient, but for whom when the patient has dependants. */
function* askPerson(c: Context, pending: Pending): Turn {
  return c.facts.patientName ? yield* askWhom(c, pending) : askForName(c, pending);
}

type HeldSlot = { slot: Slot; typeId?: string | undefined; draftId: string };
/** A booking, or an entry of the waitlist, whose patient is asked for. */
type Pending = HeldSlot | Wish;

/** Goes on with the person for whom it is. */
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

/** Goes on, without the preface, with the only person whom the phone reaches. */
export function* askWhom(c: Context, pending: Pending): Turn {
  const family = yield* request('family', {});
  if (family.length <= 1) return yield* continueFor(withoutPreface(c), pending, { patientName: c.facts.patientName ?? '' });
  const nonce = nonceOf(pending);
  const rows: ActionRow[] = family
    .slice(0, MOST_ROWS - 1)
    .map(({ id, name }) => ({ action: { kind: 'whom', patientId: id, nonce }, title: name, ...(name.length > 24 && { description: name }) }));
  rows.push({ action: { kind: 'answer', answer: 'other', nonce }, title: c.say('other_person') });
  const { step, text } = toQuestion(c, 'whom', pending);
  return askAt(c, step, listReply(c, text, 'people_button', rows));
}

const MYSELF = [' para mi ', ' mi ', ' a mi nombre ', ' yo ', ' para mi misma ', ' para mi mismo ', ' for me ', ' me ', ' myself ', ' in my name '];

/** Whether a message says that the appointment is for who writes. */
export const isForMyself = (words: string) => MYSELF.includes(words);

/** By number in the list, or by name; undefined when the message names nobody. */
export function* answerWhom(c: Context, step: StepOf<'whom' | 'wait_whom'>): Turn<TurnResult | undefined> {
  const family = yield* request('family', {});
  const person = isForMyself(c.words) ? family[0] : (numbered(family, c.words) ?? findNamed(family, c.words));
  return person && (yield* continueFor(c, step, toNamed(person)));
}

export const toNamed = ({ id, name }: Person): Named => ({ patientName: name, patientId: id });

/** Asks a user whose phone belongs to no patient for the name, with that of the profile as a button when it is a person's name. */
export function askForName(c: Context, pending: Pending) {
  const { patientName, profileName } = c.facts;
  const suggestion = patientName ? undefined : parsePersonName(profileName ?? '');
  return askOtherName(c, pending, suggestion && suggestion.length <= 20 ? suggestion : undefined);
}

/** `suggestion`: a name to choose by a button. */
export function askOtherName(c: Context, pending: Pending, suggestion?: string) {
  const { step, text } = toQuestion(c, 'name', pending);
  if (suggestion === undefined) return askAt(c, step, textReply(text));
  return askAt(c, step, { text, choices: [{ id: encodeButtonId({ kind: 'answer', answer: 'name', nonce: nonceOf(pending) }), title: suggestion }] });
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

/** The phone of a patient keeps the patient's name; a name that is neither the patient's nor a dependant's becomes a note. */
export function* takeName(c: Context, step: StepOf<'name' | 'wait_name'>, name: string): Turn {
  const { patientName } = c.facts;
  if (!patientName) return yield* continueFor(c, step, { patientName: name });
  const person = (yield* request('family', {})).find((one) => foldPhrase(one.name) === foldPhrase(name));
  return yield* continueFor(c, step, person ? toNamed(person) : { patientName, notes: name });
}

export function* book(c: Context, { slot, typeId, draftId, patientName, patientId, notes, nonce }: StepOf<'confirm'>): Turn {
  const { doctorId, date, time } = slot;
  const booking = { doctorId, date, time, patientName, patientId, notes, typeId };
  let booked = yield* request('book', { ...booking, draftId });
  // The draft has expired, but the slot may still be free.
  if (!booked.ok && booked.reason === 'NOT_FOUND') booked = yield* request('book', booking);
  if (booked.ok)
    return askAt(c, { name: 'idle', done: nonce }, buttonsReply(c, c.say('booked', { cita: lineOf(c, { ...slot, patientName }) }), 'do_mine', 'do_menu'));
  if (booked.reason === 'NOT_FOUND') return yield* chooseTypeAgain(c);
  if (isGone(booked)) return yield* askTime({ ...c, preface: goneText(c, booked) }, doctorOf(slot), date, { typeId });
  return handOver(c, c.say('no_doctors'));
}

export function* releaseSlot(c: Context): Turn<void> {
  const { step } = c.session;
  if ('draftId' in step) yield* request('drop', { draftId: step.draftId });
}

export function* abandon(c: Context): Turn {
  yield* releaseSlot(c);
  return menu(c, c.say('stopped'));
}
