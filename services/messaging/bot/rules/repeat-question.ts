// The question that waits for an answer, asked again behind a preface.
import * as appointments from './appointments.ts';
import * as booking from './booking.ts';
import { askAt, buttonsReply, menu, withPreface } from './replies.ts';
import { type Context, request, type Turn } from './session.ts';

/** `isUnread`: the message is one that the bot cannot read, such as a file. */
export function* repeatQuestion(before: Context, preface: string, isUnread = false): Turn {
  const c: Context = { ...before, preface };
  const { step } = c.session;
  switch (step.name) {
    case 'type':
      return booking.askType(c, yield* request('types', {}), step);
    case 'doctor':
      return booking.askDoctor(c, yield* booking.listDoctors(step.typeId), step);
    case 'day':
      return yield* booking.askDay(c, booking.doctorOf(step), step);
    case 'time':
      return yield* booking.askTime(c, booking.doctorOf(step), step.date, step);
    case 'whom':
    case 'wait_whom':
      return yield* booking.askWhom(c, step);
    case 'name':
    case 'wait_name':
      return booking.askForName(c, step);
    case 'confirm':
      return booking.askToBook(c, step, step);
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
      return isUnread ? askAt(c, step, buttonsReply(c, c.say('shall_help'), 'do_person', 'do_menu')) : menu(c, preface);
  }
}
