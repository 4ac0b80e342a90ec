// A button or row that was pressed, now or long ago.

import { answerOffer } from './answer-open-question.ts';
import { actOn, chooseAppointment, chooseTimeToMove, moveAppointment } from './appointments.ts';
import * as booking from './booking.ts';
import { type Answer, type ButtonAction, decodeButtonId, type Purpose } from './button-ids.ts';
import { parsePersonName } from './parse-person-name.ts';
import { repeatQuestion } from './repeat-question.ts';
import { finish, handOver, listReply, MOST_ROWS, menu, textReply } from './replies.ts';
import { type Context, request, type Turn } from './session.ts';

/** What does not leave the booking that is under way, whose slot is held. */
const STAYS: (ButtonAction['kind'] | undefined)[] = ['answer', 'whom', 'time'];

export function* handleChoice(c: Context): Turn {
  const action = decodeButtonId(c.input.choice);
  if (!STAYS.includes(action?.kind)) yield* booking.releaseSlot(c);
  switch (action?.kind) {
    case 'doctor':
      return yield* handleCalendar(c, { kind: 'days', doctorId: action.doctorId, date: '', typeId: action.typeId });
    case 'type':
      return (yield* booking.isBookable(action.typeId)) ? yield* booking.chooseDoctor(c, action) : yield* booking.chooseTypeAgain(c, action.wait);
    case 'types':
      return yield* booking.askTypePage(c, action);
    case 'doctors':
      return yield* booking.askDoctorPage(c, action);
    case 'days':
    case 'day':
    case 'times':
    case 'time':
      return yield* handleCalendar(c, action);
    case 'wait': {
      const doctor = yield* findBookable(action);
      return doctor ? yield* booking.askToWait(c, doctor, action.wait, action.typeId) : yield* booking.chooseTypeAgain(c, action.wait);
    }
    case 'answer':
      return yield* handleAnswer(c, action.answer, action.nonce);
    case 'whom':
      return yield* handleWhom(c, action.patientId, action.nonce);
    case 'appointment':
      return yield* actOn(c, action.action, action.appointmentId);
    case 'faq': {
      const faq = (yield* request('faqs', {})).find(({ id }) => id === action.faqId);
      return faq ? finish(c, textReply(faq.answer)) : menu(c, c.say('faq_gone'));
    }
    case 'offer':
      return yield* answerOffer(c, action.entryId, action.offerId, action.accept);
    case 'do_book':
      return yield* booking.chooseType(c);
    case 'do_mine':
      return yield* chooseAppointment(c, 'show');
    case 'do_move':
      return yield* chooseAppointment(c, 'move');
    case 'do_cancel':
      return yield* chooseAppointment(c, 'cancel');
    case 'do_faq':
      return yield* listFaqs(c);
    case 'do_person':
      return handOver(c, c.say('hand_over'));
    case 'do_menu':
      return menu(c, c.say('greeting'));
    case 'keep':
      return menu(c, c.say('stopped'));
    case undefined:
      return menu(c, c.say('stale'));
  }
}

type CalendarAction = Extract<ButtonAction, { kind: 'days' | 'day' | 'times' | 'time' }>;

/** Types and doctors are asked for again: what is no longer offered cannot be chosen, as when an old list was sent before the clinic had types. */
function* findBookable({ doctorId, typeId, move }: { doctorId: string } & Purpose) {
  const doctor = (yield* booking.listDoctors(typeId)).find(({ id }) => id === doctorId);
  return move || (yield* booking.isBookable(typeId)) ? doctor : undefined;
}

function* handleCalendar(c: Context, action: CalendarAction): Turn {
  const { date, move, typeId } = action;
  const doctor = yield* findBookable(action);
  if (!doctor) return yield* booking.chooseTypeAgain(c);
  switch (action.kind) {
    case 'days':
      return yield* booking.askDay(c, doctor, { from: date, move, typeId });
    case 'day':
      return yield* booking.askTime(c, doctor, date, { move, typeId });
    case 'times':
      return yield* booking.askTime(c, doctor, date, { page: action.page, move, typeId });
    case 'time': {
      const slot = { doctorId: doctor.id, doctorName: doctor.name, date, time: action.time };
      return move ? yield* chooseTimeToMove(c, slot, move) : yield* booking.holdSlot(c, slot, typeId);
    }
  }
}

/** An answer to a question of the bot. Its nonce is that of the question that waits, or the question is an old one. */
function* handleAnswer(c: Context, answer: Answer, nonce: string): Turn {
  const { step } = c.session;
  if (step.name === 'idle' && step.done === nonce && answer === 'yes') return { ...menu(c, c.say('already_booked')), session: c.session };
  if (!('nonce' in step) || step.nonce !== nonce) return yield* repeatQuestion(c, c.say('stale'));
  if (answer === 'no') return yield* booking.abandon(c);
  if (step.name === 'confirm_move') return yield* moveAppointment(c, step);
  if (answer === 'yes' && step.name === 'confirm') return yield* booking.book(c, step);
  const isName = step.name === 'name' || step.name === 'wait_name';
  const profileName = answer === 'name' && isName && parsePersonName(c.facts.profileName ?? '');
  if (profileName) return yield* booking.takeName(c, step, profileName);
  if (answer === 'other' && !isName) return booking.askOtherName(c, step);
  return yield* repeatQuestion(c, c.say('stale'));
}

function* handleWhom(c: Context, patientId: string, nonce: string): Turn {
  const { step } = c.session;
  const isAsked = 'nonce' in step && step.nonce === nonce && step.name !== 'confirm_move';
  const person = isAsked ? (yield* request('family', {})).find(({ id }) => id === patientId) : undefined;
  return person && isAsked ? yield* booking.continueFor(c, step, booking.toNamed(person)) : yield* repeatQuestion(c, c.say('stale'));
}

/** The newest questions, as many as a list holds. */
export function* listFaqs(c: Context): Turn {
  const faqs = (yield* request('faqs', {})).toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime());
  if (faqs.length === 0) return finish(c, textReply(c.say('faq_none')));
  const rows = faqs.slice(0, MOST_ROWS).map(({ id, question }) => ({
    action: { kind: 'faq' as const, faqId: id },
    title: question,
    ...(question.length > 24 && { description: question.slice(0, 72) }),
  }));
  return finish(c, listReply(c, c.say('faq_list'), 'faq_button', rows));
}
