// The first question of a booking or a waitlist entry: the type of appointment.
import { containsAny, splitPhrases } from '@clinic/lib/formats/phrases.ts';
import type { Wait } from './button-ids.ts';
import { chooseDoctor, listDoctors } from './choose-doctor.ts';
import { clinicIntent } from './clinic-questions.ts';
import { asksForFacts, strongIntent } from './intents.ts';
import { parseIntroducedName, withoutIntroducedNames } from './parse-person-name.ts';
import { findByName, findByNumber, isPartOf, nextPage, pageOf } from './pick-from-list.ts';
import { type ActionRow, askAt, listReply, MOST_ROWS } from './replies.ts';
import { type AppointmentType, type Context, request, type StepOf, type Turn, type TurnResult } from './session.ts';
import { mergeWishes, parseWish, rememberWish, withWish } from './wish.ts';

/** What messages in English call frequent types. */
const ENGLISH_TYPES: [english: RegExp, spanish: string][] = [
  [/ (?:teeth )?cleaning(?= )/g, ' limpieza'],
  [/ (?:check ?up|consultation|exam)(?= )/g, ' consulta'],
  [/ fillings?(?= )/g, ' relleno'],
];

/** The type that a message, folded by foldPhrase(), names. */
const findType = (types: AppointmentType[], words: string): AppointmentType | undefined =>
  findByName(types, words) ??
  findByName(
    types,
    ENGLISH_TYPES.reduce((changed, [english, spanish]) => changed.replaceAll(english, spanish), words),
  );

/** Begins a booking, or a waitlist entry if `wait` is given. Asks for the type unless the message names one, or the clinic has at most one. */
export function* chooseType(c: Context, wait?: Wait): Turn {
  const types = yield* request('types', {});
  const only = types.length === 1 ? types[0] : findType(types, c.words);
  if (types.length === 0 || only) return yield* chooseDoctor(c, { typeId: only?.id, wait });
  return askType((yield* rememberDoctor(c)) ?? c, types, { page: 0, wait });
}

/** Remembers the doctor whom the message names, until the type is known; undefined when it names none. */
export function* rememberDoctor(c: Context): Turn<Context | undefined> {
  const doctor = findByName(yield* request('doctors', {}), withoutIntroducedNames(c.words));
  return doctor && withWish(c, mergeWishes(c.session.wish, { doctorId: doctor.id }));
}

/** Begins again because the type or the doctor that was chosen is no longer offered. */
export const chooseTypeAgain = (c: Context, wait?: Wait) => chooseType({ ...c, preface: c.say('stale') }, wait);

type TypePage = { page: number; wait?: Wait | undefined };

export function askType(c: Context, types: AppointmentType[], { page, wait }: TypePage) {
  const rows: ActionRow[] = pageOf(types, page).map(({ id, name, minutes }) => ({
    action: { kind: 'type', typeId: id, wait },
    title: name,
    description: c.say('minutes', { n: String(minutes) }),
  }));
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
  const type = findByNumber(pageOf(types, page), c.words) ?? findType(types, c.words);
  return type && (yield* chooseDoctor(c, { typeId: type.id, wait }));
}

const WANTED_TYPE =
  / (?:quiero|quisiera|necesito|deseo|ocupo|me gustaria|i want|i need|i would like) (?:(?:hacerme|hacer(?! una consulta)|un|una|el|la|a) )*(\p{L}+(?: \p{L}+){0,2}) /u;

/** Whether the message asks for an appointment by its type: «quiero una limpieza», «limpieza para el sábado». */
export function* wantsType(c: Context): Turn<boolean> {
  const isOfDay = !asksForFacts(c.words) && clinicIntent(c.words) === undefined && parseWish(c)?.day !== undefined;
  const wanted = isOfDay ? c.words : (WANTED_TYPE.exec(c.words)?.[1] ?? '');
  return wanted !== '' && findType(yield* request('types', {}), ` ${wanted.trim()} `) !== undefined;
}

const OTHER_DOCTOR = splitPhrases('otro doctor|otra doctora|otro dentista|otra dentista|another doctor|a different doctor|other doctor');

/** Words of messages that name a doctor. */
const WITH_DOCTOR = [' con ', ' doctor ', ' doctora ', ' dr ', ' dra ', ' with '];

/** Whether the message is the name of somebody else, which shares a word with the doctor's: «Mateo Rivas». */
function isOfOther(c: Context, doctor: { name: string }): boolean {
  const name = containsAny(c.words, WITH_DOCTOR) ? undefined : parseIntroducedName(c.input.text);
  return name !== undefined && !isPartOf(name, doctor.name);
}

/** Whether a doctor is named after «con» or a title, or another doctor or type: «Ana, llega con su papá» names none. */
export function* namesOther(c: Context, typeId: string | undefined): Turn<boolean> {
  const after = / (?:con|doctora?|dra?|with) .*/.exec(c.words)?.[0];
  if (after === undefined) return false;
  if (containsAny(c.words, OTHER_DOCTOR)) return true;
  const type = findType(yield* request('types', {}), c.words);
  return (type !== undefined && type.id !== typeId) || findByName(yield* listDoctors(typeId), after) !== undefined;
}

type Chosen = { doctorId: string; typeId?: string | undefined; date?: string };

/** Another type or doctor than the chosen ones, on the same day if the message names none: «mejor con la doctora Paz»; undefined when it names neither. */
export function* chooseOther(c: Context, chosen: Chosen): Turn<TurnResult | undefined> {
  if (c.input.text.includes('?') || asksForFacts(c.words) || strongIntent(c.words)) return undefined;
  const type = findType(yield* request('types', {}), c.words);
  const typeId = type?.id ?? chosen.typeId;
  const found = findByName(yield* listDoctors(typeId), withoutIntroducedNames(c.words));
  const doctor = found && isOfOther(c, found) ? undefined : found;
  const next = rememberWish(c);
  const day = chosen.date === undefined ? {} : { day: { kind: 'date' as const, date: chosen.date } };
  if (!doctor && containsAny(c.words, OTHER_DOCTOR)) {
    const { doctorId: _, ...wish } = next.session.wish ?? {};
    return yield* chooseDoctor(withWish(next, { ...day, ...wish }), { typeId });
  }
  if (typeId === chosen.typeId && (doctor ?? { id: chosen.doctorId }).id === chosen.doctorId) return undefined;
  return yield* chooseDoctor(withWish(next, { ...day, ...next.session.wish, doctorId: doctor?.id ?? chosen.doctorId }), { typeId });
}

/** Whether patients can book the type. Without a type: whether the clinic has no types that patients can book. */
export function* isBookable(typeId: string | undefined): Turn<boolean> {
  const types = yield* request('types', {});
  return typeId === undefined ? types.length === 0 : types.some(({ id }) => id === typeId);
}
