// Adds a patient to the waitlist of a doctor.
import { formatLongDay } from '@clinic/lib/formats/day-text.ts';
import { addDays, dateIn } from '@clinic/lib/formats/local-date.ts';
import { WEEKS } from './button-ids.ts';
import { asDone, finish, handOver, textReply } from './replies.ts';
import { type Context, type Named, request, type Turn, type WaitlistRequest } from './session.ts';

const DAYS_TO_WAIT = 56;

export function* joinWaitlist(c: Context, { doctorId, doctorName, wait, typeId }: WaitlistRequest, { patientName, patientId, notes }: Named): Turn {
  // By the time of the message, so that a turn that is retried after midnight requests the same dates.
  const today = dateIn(c.facts.zone, c.facts.sentAt);
  const [from, to] = wait === WEEKS ? [today, addDays(today, DAYS_TO_WAIT)] : [wait, wait];
  const joined = yield* request('join', { doctorId, from, to, typeId, patientName, patientId, notes });
  if (!joined.ok && joined.reason !== 'WAITLIST_ENTRY_EXISTS') return handOver(c, 'not_bookable', c.say('no_doctors'));
  const dias = c.say(wait === WEEKS ? 'wait_weeks' : 'wait_day', { dia: formatLongDay(to, c.session.language) });
  const text = c.say(joined.ok ? 'waiting' : 'already_waiting', { nombre: notes ?? patientName, doctor: doctorName, dias });
  return asDone(c, finish(c, textReply(text)));
}
