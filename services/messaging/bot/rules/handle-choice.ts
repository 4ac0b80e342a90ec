// A button or row that was pressed, now or long ago.
import { again } from './repeat-question.ts';
import { listOf, menu, ROWS, textOf, turn } from './replies.ts';
import * as booking from './booking.ts';
import { answerChoice } from './answer-open-question.ts';
import { ask, type Context, type Talk, type VisitAction } from './session.ts';
import * as visits from './appointments.ts';

const ACTIONS: VisitAction[] = ['show', 'confirm', 'move', 'cancel', 'drop'];

export function* onChoice(c: Context): Talk {
  const [kind = '', first = '', second = '', third = '', fourth = ''] = c.input.choice.split('|');
  switch (kind) {
    case 'doctor':
      return yield* booking.chooseDoctor(c, first);
    case 'doctors':
      return yield* booking.doctorPage(c, Number(first));
    case 'days':
    case 'day':
    case 'times':
    case 'time':
      return yield* onCalendar(c, kind, first, second, kind === 'day' || kind === 'days' ? { move: third } : { value: third, move: fourth });
    case 'yes':
    case 'no':
    case 'other':
    case 'name':
      return yield* onQuestion(c, kind, first);
    case 'visit': {
      const action = ACTIONS.find((one) => one === first);
      return action ? yield* visits.onVisit(c, action, second) : menu(c, c.say('stale'));
    }
    case 'faq': {
      const faq = (yield* ask('faqs', {})).find(({ id }) => id === first);
      return faq ? turn(c, { name: 'idle' }, textOf(faq.answer)) : menu(c, c.say('faq_gone'));
    }
    case 'offer':
      return yield* answerChoice(c, first, second, third);
    default:
      return yield* onMenu(c, kind);
  }
}

type Rest = { value?: string; move: string };

/** The doctor is asked for anew: one who has left is chosen no more. */
function* onCalendar(c: Context, kind: 'days' | 'day' | 'times' | 'time', doctorId: string, date: string, { value = '', move }: Rest): Talk {
  const doctor = (yield* ask('doctors', {})).find(({ id }) => id === doctorId);
  if (!doctor || !/^\d{4}-\d{2}-\d{2}$/.test(date)) return yield* booking.begin(c, c.say('stale'));
  const way = move ? { move } : {};
  if (kind === 'days') return yield* booking.showDays(c, doctor, { from: date, ...way });
  if (kind === 'day') return yield* booking.showTimes(c, doctor, date, way);
  if (kind === 'times') return yield* booking.showTimes(c, doctor, date, { page: Number(value) || 0, ...way });
  const slot = { doctorId, doctorName: doctor.name, date, time: value };
  if (!/^\d{2}:\d{2}$/.test(value)) return yield* booking.begin(c, c.say('stale'));
  return move ? yield* visits.askToMove(c, slot, move) : yield* booking.chooseTime(c, slot);
}

/** An answer to a question of ours, by its nonce: an older one is told from the one that stands. */
function* onQuestion(c: Context, kind: 'yes' | 'no' | 'other' | 'name', nonce: string): Talk {
  const { step } = c.session;
  if (step.name === 'idle' && step.done === nonce && kind === 'yes') return { ...menu(c, c.say('already_booked')), session: c.session };
  if (!('nonce' in step) || step.nonce !== nonce) return yield* again(c, c.say('stale'));
  if (kind === 'no') return yield* booking.stop(c);
  if (step.name === 'confirm_move') return yield* visits.moveVisit(c, step);
  if (kind === 'yes' && step.name === 'confirm') return yield* booking.book(c, step);
  if (kind === 'name' && step.name === 'name' && c.facts.profileName) return booking.named(c, step, c.facts.profileName);
  if (kind === 'other' && step.name === 'confirm') {
    const { slot, draftId } = step;
    return turn(c, { name: 'name', slot, draftId, nonce: draftId }, textOf(c.say('which_name', { cita: booking.line(c, slot) })));
  }
  return yield* again(c, c.say('stale'));
}

function* onMenu(c: Context, kind: string): Talk {
  switch (kind) {
    case 'do_book':
      yield* booking.letGo(c);
      return yield* booking.begin(c);
    case 'do_mine':
      return yield* visits.visits(c, 'show');
    case 'do_move':
      return yield* visits.visits(c, 'move');
    case 'do_cancel':
      return yield* visits.visits(c, 'cancel');
    case 'do_faq':
      return yield* showFaqs(c);
    case 'do_person':
      yield* booking.letGo(c);
      return { ...turn(c, { name: 'idle' }, textOf(c.say('hand_over'))), handOver: true };
    case 'keep':
      return menu(c, c.say('stopped'));
    case 'do_menu':
      yield* booking.letGo(c);
      return menu(c, c.say('greeting'));
    default:
      return menu(c, c.say('stale'));
  }
}

/** The newest questions, as many as a list holds. */
function* showFaqs(c: Context): Talk {
  const faqs = (yield* ask('faqs', {})).toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  if (faqs.length === 0) return turn(c, { name: 'idle' }, textOf(c.say('faq_none')));
  const rows = faqs
    .slice(0, ROWS)
    .map(({ id, question }) => ({ id: `faq|${id}`, title: question, ...(question.length > 24 && { description: question.slice(0, 72) }) }));
  return turn(c, { name: 'idle' }, listOf(c, c.say('faq_list'), 'faq_button', rows));
}
