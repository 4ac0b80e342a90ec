// Holding, booking and releasing a slot. The questions of a booking are, in this order: type (choose-type.ts), doctor (choose-doctor.ts), day and
// time (choose-time.ts), person and confirmation (choose-person.ts). Each reads again what is free, so that a button of an old list never offers a
// slot that is gone.
import { askPerson, lineOf } from './choose-person.ts';
import { askTime, doctorOf, goneText, isGone } from './choose-time.ts';
import { chooseTypeAgain } from './choose-type.ts';
import { asDone, askAt, buttonsReply, handOver, stop } from './replies.ts';
import { type Context, request, type Slot, type StepOf, type Turn } from './session.ts';

/** Holds the slot with a draft and asks for the person. If the slot is gone, offers the times that are left. */
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

export function* book(c: Context, { slot, typeId, draftId, patientName, patientId, notes, nonce }: StepOf<'confirm'>): Turn {
  const { doctorId, date, time } = slot;
  const booking = { doctorId, date, time, patientName, patientId, notes, typeId };
  let booked = yield* request('book', { ...booking, draftId });
  // The draft has expired, but the slot may still be free.
  if (!booked.ok && booked.reason === 'NOT_FOUND') booked = yield* request('book', booking);
  if (booked.ok) {
    const text = c.say('booked', { cita: lineOf(c, { ...slot, patientName: notes ?? patientName }) });
    return asDone(c, askAt(c, { name: 'idle', done: nonce }, buttonsReply(c, text, 'do_mine', 'do_menu')));
  }
  if (booked.reason === 'NOT_FOUND') return yield* chooseTypeAgain(c);
  if (isGone(booked)) return yield* askTime({ ...c, preface: goneText(c, booked) }, doctorOf(slot), date, { typeId });
  return handOver(c, 'not_bookable', c.say('no_doctors'));
}

export function* releaseSlot(c: Context): Turn<void> {
  const { step } = c.session;
  if ('draftId' in step) yield* request('drop', { draftId: step.draftId });
}

export function* abandon(c: Context): Turn {
  yield* releaseSlot(c);
  return stop(c);
}
