// Asks who joins the waitlist of a doctor.
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { type Wait, WEEKS } from './button-ids.ts';
import { askPerson } from './choose-person.ts';
import { askDay, askDayAfterDayOff, askTime, type Doctor, listTimes } from './choose-time.ts';
import { type Context, request, type Turn } from './session.ts';

/** Asks for the person. For a day in the past, with free times, or on which the doctor does not work, offers times or other days instead. */
export function* askToWait(c: Context, doctor: Doctor, wait: Wait, typeId: string | undefined): Turn {
  if (wait !== WEEKS) {
    if (wait < dateIn(c.facts.zone, c.facts.now)) return yield* askDay({ ...c, preface: c.say('stale') }, doctor, { typeId });
    const isFree = (yield* listTimes(doctor.id, wait, { typeId })).length > 0;
    if (isFree) return yield* askTime({ ...c, preface: c.say('day_free') }, doctor, wait, { typeId });
    if ((yield* request('workingHours', { doctorId: doctor.id, date: wait })).length === 0) return yield* askDayAfterDayOff(c, doctor, wait, { typeId });
  }
  // Compared as a whole and never taken apart.
  const nonce = [doctor.id, wait, ...(typeId === undefined ? [] : [typeId])].join('/');
  return yield* askPerson(c, { doctorId: doctor.id, doctorName: doctor.name, wait, typeId, nonce });
}
