// Repeats the current question after a preface.
import * as appointments from './appointments.ts';
import { askDoctor, listDoctors } from './choose-doctor.ts';
import { askForName, askToBook, askWhom } from './choose-person.ts';
import { askDay, askTime, doctorOf } from './choose-time.ts';
import { askType } from './choose-type.ts';
import { menu, offerPerson, withPreface } from './replies.ts';
import { type Context, request, type Turn } from './session.ts';

/** `isUnread`: the bot cannot read the message, for example because it is a file. */
export function* repeatQuestion(before: Context, preface: string, isUnread = false): Turn {
  const c: Context = { ...before, preface };
  const { step } = c.session;
  switch (step.name) {
    case 'type':
      return askType(c, yield* request('types', {}), step);
    case 'doctor':
      return askDoctor(c, yield* listDoctors(step.typeId), step);
    case 'day':
      return yield* askDay(c, doctorOf(step), step);
    case 'time':
      return yield* askTime(c, doctorOf(step), step.date, step);
    case 'whom':
    case 'wait_whom':
      return yield* askWhom(c, step);
    case 'name':
    case 'wait_name':
      return askForName(c, step);
    case 'confirm':
      return askToBook(c, step, step);
    case 'confirm_move':
    case 'confirm_cancel': {
      const appointmentId = step.name === 'confirm_move' ? step.move : step.appointmentId;
      const appointment = (yield* request('appointments', {})).find(({ id }) => id === appointmentId);
      if (!appointment) return menu(c, withPreface(preface, c.say('appointment_gone')));
      return step.name === 'confirm_move' ? appointments.askToMove(c, step.slot, appointment) : appointments.askToCancel(c, appointment);
    }
    case 'appointment':
      return yield* appointments.chooseAppointment(c, step.action);
    default:
      return isUnread ? offerPerson(c, c.say('shall_help')) : menu(c, preface);
  }
}
