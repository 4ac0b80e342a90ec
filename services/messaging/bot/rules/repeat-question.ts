// The question that stands, asked once more with something said aside.
import { buttonsOf, join, menu, turn } from './replies.ts';
import * as booking from './booking.ts';
import { ask, type Context, type Talk } from './session.ts';
import * as visits from './appointments.ts';

/** Says something aside and asks the question that stands once more. */
export function* again(c: Context, aside: string, file = false): Talk {
  const { step } = c.session;
  switch (step.name) {
    case 'doctor': {
      const doctors = yield* ask('doctors', {});
      return booking.showDoctors(c, doctors, step.page, aside);
    }
    case 'day':
      return yield* booking.showDays(c, { id: step.doctorId, name: step.doctorName }, { from: step.from, ...(step.move && { move: step.move }), aside });
    case 'time':
      return yield* booking.showTimes(c, { id: step.doctorId, name: step.doctorName }, step.date, {
        page: step.page,
        ...(step.move && { move: step.move }),
        aside,
      });
    case 'name':
      return booking.askName(c, step.slot, step.draftId, aside);
    case 'confirm':
      return booking.askToBook(c, { ...step, aside });
    case 'confirm_move': {
      const visit = (yield* ask('visits', {})).find(({ id }) => id === step.move);
      return visit ? visits.showMove(c, step.slot, visit, aside) : menu(c, join(aside, c.say('visit_gone')));
    }
    case 'confirm_cancel': {
      const visit = (yield* ask('visits', {})).find(({ id }) => id === step.visitId);
      return visit ? visits.askToCancel(c, visit, aside) : menu(c, join(aside, c.say('visit_gone')));
    }
    case 'visit':
      return yield* visits.visits(c, step.action, aside);
    default:
      return file ? turn(c, step, buttonsOf(c, aside, ['do_person', 'do_person'], ['do_menu', 'do_menu'])) : menu(c, aside);
  }
}
