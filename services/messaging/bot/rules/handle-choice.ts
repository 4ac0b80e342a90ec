// Handles a pressed button or list row, which may belong to an old message.
import { answerOffer } from './answer-open-question.ts';
import { actOn, chooseAppointment, chooseTimeToMove, moveAppointment } from './appointments.ts';
import { askToWait } from './ask-to-wait.ts';
import { abandon, book, holdSlot, releaseSlot } from './booking.ts';
import { type Answer, type ButtonAction, decodeButtonId, type Purpose } from './button-ids.ts';
import { askDoctorPage, chooseDoctor, listDoctors } from './choose-doctor.ts';
import { askOtherName, continueFor, takeName, toNamed } from './choose-person.ts';
import { askDay, askTime } from './choose-time.ts';
import { askTypePage, chooseType, chooseTypeAgain, isBookable } from './choose-type.ts';
import { parsePersonName } from './parse-person-name.ts';
import { repeatQuestion } from './repeat-question.ts';
import { finish, handOver, listReply, menu, stop, textReply } from './replies.ts';
import { type Context, request, type Turn } from './session.ts';
import { withWish } from './wish.ts';

/** Actions that continue the current booking. Any other action releases the slot that it holds. */
const CONTINUES_BOOKING: (ButtonAction['kind'] | undefined)[] = ['answer', 'whom', 'time'];

export function* handleChoice(c: Context): Turn {
  const action = decodeButtonId(c.input.choice);
  if (!CONTINUES_BOOKING.includes(action?.kind)) yield* releaseSlot(c);
  switch (action?.kind) {
    case 'doctor':
      return yield* handleCalendar(c, { kind: 'days', doctorId: action.doctorId, date: '', typeId: action.typeId });
    case 'type':
      return (yield* isBookable(action.typeId)) ? yield* chooseDoctor(c, action) : yield* chooseTypeAgain(c, action.wait);
    case 'types':
      return yield* askTypePage(c, action);
    case 'doctors':
      return yield* askDoctorPage(c, action);
    case 'days':
    case 'day':
    case 'times':
    case 'time':
      return yield* handleCalendar(c, action);
    case 'wait': {
      const doctor = yield* findBookable(action);
      return doctor ? yield* askToWait(c, doctor, action.wait, action.typeId) : yield* chooseTypeAgain(c, action.wait);
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
      return yield* chooseType(c);
    case 'do_mine':
      return yield* chooseAppointment(c, 'show');
    case 'do_move':
      return yield* chooseAppointment(c, 'move');
    case 'do_cancel':
      return yield* chooseAppointment(c, 'cancel');
    case 'do_faq':
      return yield* listFaqs(c);
    case 'do_person':
      return handOver(c, 'person', c.say('hand_over'));
    case 'do_menu':
      return menu(c, c.say('greeting'));
    case 'keep':
      return stop(c);
    case undefined:
      return menu(c, c.say('stale'));
  }
}

type CalendarAction = Extract<ButtonAction, { kind: 'days' | 'day' | 'times' | 'time' }>;

/** The doctor, provided that doctor and type are still offered: the list may have been sent before the clinic had types, or before they changed. */
function* findBookable({ doctorId, typeId, move }: { doctorId: string } & Purpose) {
  const doctor = (yield* listDoctors(typeId)).find(({ id }) => id === doctorId);
  return move || (yield* isBookable(typeId)) ? doctor : undefined;
}

function* handleCalendar(c: Context, action: CalendarAction): Turn {
  const { date, move, typeId } = action;
  const { name, forOther } = c.session.wish ?? {};
  const doctor = yield* findBookable(action);
  if (!doctor) return yield* chooseTypeAgain(c);
  switch (action.kind) {
    case 'days':
      return yield* askDay(c, doctor, { from: date, move, typeId });
    case 'day':
      return yield* askTime(c, doctor, date, { move, typeId });
    case 'times':
      // More times are those of the whole day.
      return yield* askTime(withWish(c, { ...(name && { name }), ...(forOther && { forOther }) }), doctor, date, { page: action.page, move, typeId });
    case 'time': {
      const slot = { doctorId: doctor.id, doctorName: doctor.name, date, time: action.time };
      return move ? yield* chooseTimeToMove(c, slot, move) : yield* holdSlot(c, slot, typeId);
    }
  }
}

/** An answer to a question of the bot. If its nonce is not that of the current question, it answers an old one and is not valid. */
function* handleAnswer(c: Context, answer: Answer, nonce: string): Turn {
  const { step } = c.session;
  if (step.name === 'idle' && step.done === nonce && answer === 'yes') return { ...menu(c, c.say('already_booked')), session: c.session };
  if (!('nonce' in step) || step.nonce !== nonce) return yield* repeatQuestion(c, c.say('stale'));
  if (answer === 'no') return yield* abandon(c);
  if (step.name === 'confirm_move') return yield* moveAppointment(c, step);
  if (answer === 'yes' && step.name === 'confirm') return yield* book(c, step);
  const isName = step.name === 'name' || step.name === 'wait_name';
  const profileName = answer === 'name' && isName && parsePersonName(c.facts.profileName ?? '');
  if (profileName) return yield* takeName(c, step, profileName);
  if (answer === 'other' && !isName) return askOtherName(c, step);
  return yield* repeatQuestion(c, c.say('stale'));
}

function* handleWhom(c: Context, patientId: string, nonce: string): Turn {
  const { step } = c.session;
  const isAsked = 'nonce' in step && step.nonce === nonce && step.name !== 'confirm_move';
  const person = isAsked ? (yield* request('family', {})).find(({ id }) => id === patientId) : undefined;
  return person && isAsked ? yield* continueFor(c, step, toNamed(person)) : yield* repeatQuestion(c, c.say('stale'));
}

/** Lists the newest questions, as many as fit. */
export function* listFaqs(c: Context): Turn {
  const faqs = (yield* request('faqs', {})).toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime());
  if (faqs.length === 0) return finish(c, textReply(c.say('faq_none')));
  const rows = faqs.map(({ id, question }) => ({ action: { kind: 'faq' as const, faqId: id }, title: question }));
  return finish(c, listReply(c, c.say('faq_list'), 'faq_button', rows));
}
