// The question that waits for an answer, asked again behind a preface.
import * as appointments from './appointments.ts';
import * as booking from './booking.ts';
import { askAt, buttonsReply, menu, withPreface } from './replies.ts';
import { type Context, request, type Turn } from './session.ts';

/** `isUnread`: the message is one that the bot cannot read, such as a file. */
export function* repeatQuestion(c: Context, preface: string, isUnread = false): Turn {
  const { step } = c.session;
  switch (step.name) {
    case 'type':
      return booking.askType(c, yield* request('types', {}), step.page, preface);
    case 'doctor':
      return booking.askDoctor(c, yield* booking.listDoctors(step.typeId), step, preface);
    case 'day':
      return yield* booking.askDay(c, { id: step.doctorId, name: step.doctorName }, { from: step.from, move: step.move, typeId: step.typeId, preface });
    case 'time':
      return yield* booking.askTime(c, { id: step.doctorId, name: step.doctorName }, step.date, {
        page: step.page,
        move: step.move,
        typeId: step.typeId,
        preface,
      });
    case 'whom':
      return yield* booking.askWhom(c, step, preface);
    case 'name':
      return booking.askForName(c, step, preface);
    case 'confirm':
      return booking.askToBook(c, { ...step, preface });
    case 'confirm_move': {
      const appointment = (yield* request('appointments', {})).find(({ id }) => id === step.move);
      return appointment ? appointments.askToMove(c, step.slot, appointment, preface) : menu(c, withPreface(preface, c.say('appointment_gone')));
    }
    case 'confirm_cancel': {
      const appointment = (yield* request('appointments', {})).find(({ id }) => id === step.appointmentId);
      return appointment ? appointments.askToCancel(c, appointment, preface) : menu(c, withPreface(preface, c.say('appointment_gone')));
    }
    case 'appointment':
      return yield* appointments.chooseAppointment(c, step.action, preface);
    default:
      return isUnread ? askAt(c, step, buttonsReply(c, withPreface(preface, c.say('shall_help')), 'do_person', 'do_menu')) : menu(c, preface);
  }
}
