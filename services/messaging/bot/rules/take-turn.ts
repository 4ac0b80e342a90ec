// One turn of the bot: the patient's message, and at most one reply.
import { type Language, parseDay, withoutClockTimes } from '@clinic/lib/formats/day-text.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { detectLanguage, foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { bestFaq } from '../../faq/faq-match-rules.ts';
import { answerOpenQuestion } from './answer-open-question.ts';
import * as appointments from './appointments.ts';
import { askToWait } from './ask-to-wait.ts';
import { abandon, book, holdSlot, releaseSlot } from './booking.ts';
import { type Wait, WEEKS } from './button-ids.ts';
import { answerDoctor, chooseDoctor } from './choose-doctor.ts';
import { answerWhom, askOtherName, isForMyself, takeName } from './choose-person.ts';
import { askDay, askTime, doctorOf, listTimes } from './choose-time.ts';
import { answerType, chooseType } from './choose-type.ts';
import { handleChoice, listFaqs } from './handle-choice.ts';
import { agreesTo, type Intent, isAbandoning, isGreeting, strongIntent, weakIntent, wholeIntent } from './intents.ts';
import { parseFreeTime, parseTimes } from './parse-free-time.ts';
import { parsePersonName } from './parse-person-name.ts';
import { repeatQuestion } from './repeat-question.ts';
import { finish, handOver, menu, textReply } from './replies.ts';
import { type Context, type Facts, type Input, request, type Session, type Step, type Turn, type TurnResult } from './session.ts';
import type { TextKey } from './texts.ts';

const asksForName = ({ name }: Step) => name === 'name' || name === 'wait_name';

/** A result without a reply: the bot is silent. */
export function* takeTurn(before: Session, input: Input, facts: Facts): Turn {
  const words = input.kind === 'text' ? foldPhrase(input.text) : '';
  // A person's name does not indicate a language.
  const language: Language = (asksForName(before.step) ? undefined : detectLanguage(words)) ?? before.language;
  const session = { ...before, language };
  const c: Context = { session, input, facts, words, say: facts.sayIn(language) };
  if (input.kind === 'preference') return yield* changeRecallChoice(c, input.choice === 'marketing:stop', false);
  const intent = wholeIntent(words);
  if (intent === 'stop' || intent === 'start') return yield* changeRecallChoice(c, intent === 'stop', true);
  if (input.kind === 'choice') return yield* handleChoice(c);
  if (input.kind === 'order') {
    yield* releaseSlot(c);
    return handOver(c, c.say('got_order'));
  }
  if (input.kind !== 'text') return yield* repeatQuestion(c, c.say(`got_${input.kind}`), true);
  return session.step.name === 'idle' ? yield* startSession(c, intent) : yield* continueSession(c, intent);
}

/** Opting out is confirmed once. A choice that was made at the provider (`isWritten` false) is stored without a reply. */
function* changeRecallChoice(c: Context, optedOut: boolean, isWritten: boolean): Turn {
  if (optedOut) yield* releaseSlot(c);
  yield* request('recall', { optIn: !optedOut });
  const step: Step = optedOut && isWritten ? { name: 'idle' } : c.session.step;
  const session = { ...c.session, optedOut, step };
  const isSilent = !isWritten || (optedOut && c.session.optedOut);
  return isSilent ? { session } : { session, reply: textReply(c.say(optedOut ? 'opted_out' : 'opted_in')) };
}

/** Handles a message when there is no current question. The clinic's own FAQ takes precedence over a weak intent. */
function* startSession(c: Context, intent: Intent | undefined): Turn {
  const question = yield* request('openQuestion', {});
  const answered = question && (yield* answerOpenQuestion(c, question, intent));
  if (answered) return answered;
  const wanted = intent ?? strongIntent(c.words);
  if (wanted && wanted !== 'yes' && wanted !== 'no') return yield* followIntent(c, wanted);
  // A greeting must not match a keyword that is only a part of one of its words.
  const faq = bestFaq(yield* request('faqs', {}), c.input.text, isGreeting(c.words) ? 'words' : 'part');
  if (faq) return finish(c, textReply(faq.answer));
  const weak = weakIntent(c.words);
  if (weak) return yield* followIntent(c, weak);
  return menu(c, c.say(wanted ? 'greeting' : 'not_understood'));
}

function* followIntent(c: Context, intent: Intent): Turn {
  yield* releaseSlot(c);
  switch (intent) {
    case 'person':
      return handOver(c, c.say('hand_over'));
    case 'book':
      return yield* chooseType(c);
    case 'wait':
      return yield* chooseType(c, findWait(c) ?? WEEKS);
    case 'mine':
      return yield* appointments.chooseAppointment(c, 'show');
    case 'move':
    case 'confirm':
    case 'cancel':
      return yield* appointments.chooseAppointment(c, intent);
    case 'faq':
      return yield* listFaqs(c);
    case 'thanks':
      return finish(c, textReply(c.say('welcome')));
    default:
      return menu(c, c.say('greeting'));
  }
}

/** Handles a message when there is a current question: its answer, an FAQ in between, or something else. */
function* continueSession(c: Context, intent: Intent | undefined): Turn {
  const { step } = c.session;
  if (intent === 'menu') return yield* followIntent(c, intent);
  if (isAbandoning(c.words) && step.name !== 'confirm_cancel') return yield* abandon(c);
  const answered = yield* takeAnswer(c, step, intent);
  if (answered) return answered;
  const strong = intent && !['yes', 'no', 'thanks'].includes(intent) ? intent : strongIntent(c.words);
  if (strong === 'person' || strong === 'mine' || strong === 'move' || strong === 'cancel') return yield* followIntent(c, strong);
  const faq = bestFaq(yield* request('faqs', {}), c.input.text);
  if (faq) return yield* repeatQuestion(c, faq.answer);
  if (strong) return yield* followIntent(c, strong);
  const isOtherTime = step.name === 'time' && parseTimes(c.input.text).length > 0;
  return yield* repeatQuestion(c, c.say(asksForName(step) ? 'bad_name' : isOtherTime ? 'slot_unavailable' : 'not_understood'));
}

/** Whether the message is the title of a button or row, which some patients type. */
const isTitle = (c: Context, title: TextKey) => c.words === foldPhrase(c.say(title));

const findDay = (c: Context, from = dateIn(c.facts.zone, c.facts.now)) => parseDay(withoutClockTimes(c.input.text), from, c.session.language);

/** The day, today or later, for which the message asks to wait. */
function findWait(c: Context): Wait | undefined {
  const day = findDay(c);
  return day !== undefined && day >= dateIn(c.facts.zone, c.facts.now) ? day : undefined;
}

/** Whether the message names a day other than the one whose times are shown. The weekday of that day is not another day, and numbers alone are times. */
function namesOtherDay(c: Context, shown: string): boolean {
  const day = /\p{L}{3}|\d\/\d/u.test(c.input.text) ? findDay(c) : undefined;
  return day !== undefined && day !== shown && (findDay(c, shown) !== shown || day === dateIn(c.facts.zone, c.facts.now));
}

/** Undefined when the message does not answer the current question. */
function* takeAnswer(c: Context, step: Step, intent: Intent | undefined): Turn<TurnResult | undefined> {
  const strong = strongIntent(c.words);
  const wantsToWait = strong === 'wait';
  // A patient who was joining the waitlist now wants to book.
  if ('wait' in step && step.wait !== undefined && strong === 'book') return undefined;
  switch (step.name) {
    case 'type':
      return wantsToWait ? undefined : yield* answerType(c, step);
    case 'doctor':
      if (wantsToWait) return yield* chooseDoctor(c, { typeId: step.typeId, wait: findWait(c) ?? step.wait ?? WEEKS });
      return yield* answerDoctor(c, step);
    case 'day':
    case 'time': {
      const { doctorId, doctorName, move, typeId } = step;
      const full = step.name === 'day' ? step.full : undefined;
      if (wantsToWait && !move) return yield* askToWait(c, doctorOf(step), findWait(c) ?? full ?? WEEKS, typeId);
      if (step.name === 'time' && isTitle(c, 'other_day')) return yield* askDay(c, doctorOf(step), { move, typeId });
      if (step.name === 'time' && !namesOtherDay(c, step.date)) {
        const { date } = step;
        const time = parseFreeTime(c.input.text, yield* listTimes(doctorId, date, step));
        const slot = time !== undefined && { doctorId, doctorName, date, time };
        if (slot) return move ? yield* appointments.chooseTimeToMove(c, slot, move) : yield* holdSlot(c, slot, typeId);
      }
      const date = findDay(c);
      return date === undefined ? undefined : yield* askTime(c, doctorOf(step), date, { move, typeId });
    }
    case 'whom':
    case 'wait_whom':
      return isTitle(c, 'other_person') ? askOtherName(c, step) : yield* answerWhom(c, step);
    case 'name':
    case 'wait_name': {
      const isOther = intent || strong || isGreeting(c.words) || isForMyself(c.words) || c.input.text.includes('?');
      const name = isOther ? undefined : parsePersonName(c.input.text);
      return name === undefined ? undefined : yield* takeName(c, step, name);
    }
    case 'confirm':
      if (agreesTo('book', c.words)) return yield* book(c, step);
      if (isTitle(c, 'other_name')) return askOtherName(c, step);
      return intent === 'no' ? yield* abandon(c) : undefined;
    case 'confirm_move':
      if (agreesTo('move', c.words)) return yield* appointments.moveAppointment(c, step);
      return intent === 'no' ? yield* abandon(c) : undefined;
    case 'confirm_cancel':
      if (agreesTo('cancel', c.words)) return yield* appointments.actOn(c, 'drop', step.appointmentId);
      return intent === 'no' ? menu(c, c.say('stopped')) : undefined;
    case 'appointment':
      return yield* appointments.answerAppointment(c, step);
    default:
      return undefined;
  }
}
