// The first question of a booking or a waitlist entry: the type of appointment.
import type { Wait } from './button-ids.ts';
import { chooseDoctor } from './choose-doctor.ts';
import { findByName, findByNumber, nextPage, pageOf } from './pick-from-list.ts';
import { type ActionRow, askAt, listReply, MOST_ROWS } from './replies.ts';
import { type AppointmentType, type Context, request, type StepOf, type Turn } from './session.ts';
import { mergeWishes } from './wish.ts';

/** Begins a booking, or a waitlist entry if `wait` is given. Asks for the type unless the message names one, or the clinic has at most one. */
export function* chooseType(c: Context, wait?: Wait): Turn {
  const types = yield* request('types', {});
  const only = types.length === 1 ? types[0] : findByName(types, c.words);
  if (types.length === 0 || only) return yield* chooseDoctor(c, { typeId: only?.id, wait });
  const doctor = findByName(yield* request('doctors', {}), c.words);
  return askType(doctor ? { ...c, session: { ...c.session, wish: mergeWishes(c.session.wish, { doctorId: doctor.id }) } } : c, types, { page: 0, wait });
}

/** Begins again because the type or the doctor that was chosen is no longer offered. */
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
  const type = findByNumber(pageOf(types, page), c.words) ?? findByName(types, c.words);
  return type && (yield* chooseDoctor(c, { typeId: type.id, wait }));
}

/** Whether patients can book the type. Without a type: whether the clinic has no types that patients can book. */
export function* isBookable(typeId: string | undefined): Turn<boolean> {
  const types = yield* request('types', {});
  return typeId === undefined ? types.length === 0 : types.some(({ id }) => id === typeId);
}
