// The second question of a booking or a waitlist entry: the doctor.

import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { askToWait } from './ask-to-wait.ts';
import type { Wait } from './button-ids.ts';
import { askDay, type Doctor, listFreeDays, listTimes } from './choose-time.ts';
import { isAnyDoctor } from './intents.ts';
import { withoutIntroducedNames } from './parse-person-name.ts';
import { findByName, findByPlace, nextPage, pageOf } from './pick-from-list.ts';
import { type ActionRow, askAt, handOver, listReply, MOST_ROWS } from './replies.ts';
import { type Context, request, type StepOf, type Turn } from './session.ts';

/** What the doctor is chosen for: a booking, or a waitlist entry if `wait` is set. */
type Wanted = { typeId?: string | undefined; wait?: Wait | undefined };

/** The doctors who offer the type. */
export function* listDoctors(typeId: string | undefined): Turn<(Doctor & { specialty: string })[]> {
  const doctors = yield* request('doctors', {});
  const type = typeId === undefined ? undefined : (yield* request('types', {})).find(({ id }) => id === typeId);
  return type && type.doctorIds.length > 0 ? doctors.filter(({ id }) => type.doctorIds.includes(id)) : doctors;
}

/** Asks for the doctor unless the message names one, or there is only one. */
export function* chooseDoctor(c: Context, wanted: Wanted): Turn {
  const doctors = yield* listDoctors(wanted.typeId);
  if (doctors.length === 0) return handOver(c, 'not_bookable', c.say('no_doctors'));
  const only = doctors.length === 1 ? doctors[0] : yield* findNamed(c, doctors, wanted.typeId);
  return only ? yield* continueWith(c, only, wanted) : askDoctor(c, doctors, { page: 0, ...wanted });
}

/** The doctor whom the message names; any doctor means the one who is free first. */
function* findNamed<D extends Doctor>(c: Context, doctors: D[], typeId: string | undefined): Turn<D | undefined> {
  const named = findByName(doctors, withoutIntroducedNames(c.words)) ?? doctors.find(({ id }) => id === c.session.wish?.doctorId);
  return named === undefined && isAnyDoctor(c.words) ? yield* findFreeFirst(c, doctors, typeId) : named;
}

function* findFreeFirst<D extends Doctor>(c: Context, doctors: D[], typeId: string | undefined): Turn<D | undefined> {
  const day = c.session.wish?.day;
  const from = day?.kind === 'date' || day?.kind === 'from' ? day.date : dateIn(c.facts.zone, c.facts.now);
  let first: { doctor: D; start: string } | undefined;
  for (const doctor of doctors.slice(0, MOST_ROWS)) {
    const [free] = yield* listFreeDays(doctor.id, from, { typeId });
    const start = free && `${free.date} ${(yield* listTimes(doctor.id, free.date, { typeId }))[0] ?? ''}`;
    if (start && (!first || start < first.start)) first = { doctor, start };
  }
  return first?.doctor ?? doctors[0];
}

function* continueWith(c: Context, doctor: Doctor, { typeId, wait }: Wanted): Turn {
  return wait === undefined ? yield* askDay(c, doctor, { typeId }) : yield* askToWait(c, doctor, wait, typeId);
}

type DoctorPage = { page: number } & Wanted;

export function askDoctor(c: Context, doctors: (Doctor & { specialty: string })[], { page, typeId, wait }: DoctorPage) {
  const rows = pageOf(doctors, page).map(({ id, name, specialty }): ActionRow => {
    const action = wait === undefined ? ({ kind: 'doctor', doctorId: id, typeId } as const) : ({ kind: 'wait', doctorId: id, wait, typeId } as const);
    return { action, title: name, description: specialty };
  });
  if (doctors.length > MOST_ROWS) rows.push({ action: { kind: 'doctors', page: nextPage(doctors, page), typeId, wait }, title: c.say('more') });
  return askAt(c, { name: 'doctor', page, typeId, wait }, listReply(c, c.say('which_doctor'), 'doctors_button', rows));
}

export function* askDoctorPage(c: Context, at: DoctorPage): Turn {
  const doctors = yield* listDoctors(at.typeId);
  return doctors.length === 0 ? handOver(c, 'not_bookable', c.say('no_doctors')) : askDoctor(c, doctors, at);
}

/** By number in the list, or by name; undefined when the message names no doctor. */
export function* answerDoctor(c: Context, { page, ...wanted }: StepOf<'doctor'>) {
  const doctors = yield* listDoctors(wanted.typeId);
  const doctor = findByPlace(pageOf(doctors, page), c.words) ?? (yield* findNamed(c, doctors, wanted.typeId));
  return doctor && (yield* continueWith(c, doctor, wanted));
}
