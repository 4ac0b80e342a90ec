// One turn of the bot: the patient's message, and at most one reply.
import { type Language, parseDay, withoutClockTimes } from '@clinic/lib/formats/day-text.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { containsAny, detectLanguage, foldPhrase, splitPhrases } from '@clinic/lib/formats/phrases.ts';
import { bestFaq } from '../../faq/faq-match-rules.ts';
import { aboutClinic } from './about-clinic.ts';
import { answerOpenQuestion, repeatOffer } from './answer-open-question.ts';
import * as appointments from './appointments.ts';
import { askToWait } from './ask-to-wait.ts';
import { abandon, book, releaseSlot } from './booking.ts';
import { encodeButtonId, type Wait, WEEKS } from './button-ids.ts';
import { answerDoctor, chooseDoctor } from './choose-doctor.ts';
import { answerWhom, askOtherName, continueForOwner, findPerson, suggestedName, takeName } from './choose-person.ts';
import { askDay, doctorOf } from './choose-time.ts';
import { answerType, chooseOther, chooseType, namesOther, rememberDoctor, wantsType } from './choose-type.ts';
import { type ClinicQuestion, clinicIntent } from './clinic-questions.ts';
import { correctSpelling } from './correct-spelling.ts';
import { answerDayOrTime, changeTime, followWish } from './follow-wish.ts';
import { handleChoice, listFaqs } from './handle-choice.ts';
import {
  agreesTo,
  asksForFacts,
  asksForPrice,
  type Intent,
  isAbandoning,
  isAcknowledgement,
  isEmergency,
  isGreeting,
  leavesAsIs,
  recallChoice,
  strongIntent,
  unaskedIntent,
  weakIntent,
  wholeIntent,
  willAttend,
} from './intents.ts';
import { parseTimeWish } from './parse-free-time.ts';
import { isForMyself, isForRelative, parseIntroducedName, parseNamed, parsePersonName, withoutSurnames } from './parse-person-name.ts';
import { findByNumber } from './pick-from-list.ts';
import { repeatQuestion } from './repeat-question.ts';
import { asDone, buttonsReply, finish, handOver, MENU, menu, notUnderstood, offerPerson, stop, textReply, withPreface } from './replies.ts';
import { type Context, type Facts, type Input, request, type Session, type Step, type StepOf, type Turn, type TurnResult } from './session.ts';
import type { TextKey } from './texts.ts';
import { dayProblem, explainDay, isNumber, parseWish, rememberNewTime, rememberPerson, rememberWish } from './wish.ts';

const asksForName = ({ name }: Step) => name === 'name' || name === 'wait_name';

/** A result without a reply: the bot is silent. */
export function* takeTurn({ misses = 0, offersPerson = false, ...before }: Session, input: Input, facts: Facts): Turn {
  const hasCaption = input.kind === 'file' && input.text !== '';
  const text = correctSpelling(input.text);
  const words = input.kind === 'text' || hasCaption ? foldPhrase(text) : '';
  // A person's name does not indicate a language, and neither do the words by which patients of any language opt out and in.
  const isWithoutLanguage = asksForName(before.step) || words === ' stop ' || words === ' start ';
  const language: Language = (isWithoutLanguage ? undefined : detectLanguage(words)) ?? before.language;
  const session = { ...before, language };
  const say = facts.sayIn(language);
  const c: Context = { session, input, facts, text, words, misses, offersPerson, say, ...(hasCaption && { preface: say('got_file') }) };
  return yield* answerBeside(c, yield* followWish(c, yield* handleInput(c)));
}

/** Puts the answer to a question that the message asks beside something else before the reply: «¿cuánto cuesta? Quiero cita mañana». */
function* answerBeside(c: Context, result: TurnResult): Turn {
  const { reply, session } = result;
  const asks = (asksForFacts(c.words) && asksForFacts(foldPhrase(withoutSurnames(c.text)))) || ['address', 'phone'].includes(clinicIntent(c.words) ?? '');
  if (!asks || !reply || result.handOver || session.optedOut !== c.session.optedOut || session.misses || session.offersPerson) return result;
  const answer = (yield* answerQuestion(c)) ?? (asksForPrice(c.words) ? c.say('fact_unknown') : undefined);
  return answer === undefined || reply.text?.includes(answer.slice(0, 100))
    ? result
    : { ...result, reply: { ...reply, text: withPreface(answer, reply.text ?? '') } };
}

function* handleInput(c: Context): Turn {
  const { input, session, words } = c;
  if (input.kind === 'preference') {
    const preferred = recallChoice(input.kind, { choice: { id: input.choice } });
    return preferred ? yield* changeRecallChoice(c, preferred === 'stop', false) : { session };
  }
  const intent = wholeIntent(words);
  if (intent === 'stop' || intent === 'start') return yield* changeRecallChoice(c, intent === 'stop', true);
  if (input.kind === 'choice') return yield* handleChoice(c);
  if (isEmergency(foldPhrase(c.text))) return yield* followIntent(c, 'emergency');
  if (input.kind === 'order') {
    yield* releaseSlot(c);
    return handOver(c, 'order', c.say('got_order'));
  }
  if (c.offersPerson && (intent === 'yes' || intent === 'no')) return intent === 'yes' ? yield* followIntent(c, 'person') : yield* declinePerson(c);
  if (input.kind === 'text') return session.step.name === 'idle' ? yield* startSession(c, intent) : yield* continueSession(c, intent);
  const answered = words === '' ? undefined : yield* followCaption(c, intent);
  return answered ?? (yield* repeatQuestion(c, c.say(`got_${input.kind}`), true));
}

function* declinePerson(c: Context): Turn {
  return c.session.step.name === 'idle' ? finish(c, textReply(c.say('not_now'))) : yield* repeatQuestion(c, c.say('noted'));
}

/** Intents that a caption may have beside the file, which only the staff can see. */
const BESIDE_FILES: (Intent | undefined)[] = ['person', 'complaint', 'late', 'book', 'wait', 'mine', 'cancel', 'move', 'confirm'];

/** Handles the caption of a file; undefined if it neither answers a question nor asks for something, since it is then about the file. */
function* followCaption(c: Context, intent: Intent | undefined): Turn<TurnResult | undefined> {
  const { step } = c.session;
  const question = step.name === 'idle' ? yield* request('openQuestion', {}) : undefined;
  const answered = question ? yield* answerOpenQuestion(c, question, intent) : yield* takeAnswer(c, step, intent);
  if (answered) return answered;
  const wanted = [intent, strongIntent(c.words), unaskedIntent(c.words)].find((one) => BESIDE_FILES.includes(one));
  if (wanted) return yield* followIntent(c, wanted);
  const asks = c.input.text.includes('?') || asksForFacts(c.words);
  const answer = asks ? yield* answerQuestion(c) : undefined;
  return answer === undefined ? undefined : yield* repeatQuestion(c, withPreface(c.preface, answer), true);
}

/** Opting out is confirmed once. A choice that was made at the provider (`isWritten` false) is stored without a reply. */
function* changeRecallChoice(c: Context, optedOut: boolean, isWritten: boolean): Turn {
  if (optedOut) yield* releaseSlot(c);
  yield* request('recall', { optIn: !optedOut });
  const step: Step = optedOut && isWritten ? { name: 'idle' } : c.session.step;
  const session = { ...c.session, optedOut, step, ...(step.name === 'idle' && { wish: undefined }) };
  const isSilent = !isWritten || (optedOut && c.session.optedOut);
  return isSilent ? { session } : asDone(c, { session, reply: textReply(c.say(optedOut ? 'opted_out' : 'opted_in')) });
}

/** Handles a message when there is no current question. The clinic's own FAQ takes precedence over a weak intent. */
function* startSession(c: Context, intent: Intent | undefined): Turn {
  const { step } = c.session;
  const question = yield* request('openQuestion', {});
  const answered = question && (yield* answerOpenQuestion(c, question, intent));
  if (answered) return answered;
  const entry = step.name === 'idle' && step.menu ? findByNumber([...MENU], c.words) : undefined;
  if (entry) return yield* handleChoice({ ...c, input: { ...c.input, choice: encodeButtonId({ kind: entry }) } });
  const strong = strongIntent(c.words) ?? unaskedIntent(c.words);
  const isAnswer = intent === 'yes' || intent === 'no';
  const wanted = (isAnswer ? undefined : intent) ?? strong;
  if (wanted) return yield* followIntent(c, wanted);
  if (!isAnswer && (yield* wantsType(c))) return yield* followIntent(c, 'book');
  const asked = askedAboutClinic(c);
  if (!asked && !asksForFacts(c.words) && namesDayAndTime(c)) return yield* followIntent(c, 'book');
  const weak = weakIntent(c.words);
  if (weak === 'book' && asksForFacts(c.words) && parseWish(c)?.day) return yield* followIntent(c, 'book');
  const answer = yield* answerQuestion(c);
  if (answer !== undefined) return finish(c, asked === 'doctors' ? buttonsReply(c, answer, 'do_book', 'do_menu') : textReply(answer));
  const isFactMissing = asked !== undefined || (asksForFacts(c.words) && weak !== 'book');
  if (weak && !isFactMissing) return yield* followIntent(c, weak);
  // «¿Tiene para mañana?», «el lunes»
  if (!isFactMissing && parseWish(c)?.day && (containsAny(c.words, ASKS_FOR_DAY) || DAY_ALONE.test(c.words))) return yield* followIntent(c, 'book');
  if (intent === 'yes' && step.name === 'idle' && step.done) return { ...finish(c, textReply(c.say('welcome'))), session: c.session };
  if (isAcknowledgement(c.words)) return finish(c, textReply(c.say('welcome')));
  if (isAnswer) return intent === 'no' ? finish(c, textReply(c.say('not_now'))) : menu(c, c.say('greeting'));
  const offer = question?.kind === 'waitlist' ? yield* repeatOffer(c, question) : undefined;
  if (offer) return offer;
  return isFactMissing ? offerPerson(c, c.say('no_answer')) : notUnderstood(c, menu(c, c.say('not_understood')));
}

const DAY_ALONE = /^ (?:el |the |on )?\p{L}+(?: por favor| porfa| please)? $/u;
const ASKS_FOR_DAY = splitPhrases('para|tiene|tienen|tendra|tendran|hay|habra|se puede|puedo ir|puedo llegar|for|do you have|can i come');

function namesDayAndTime(c: Context): boolean {
  const { day, refused, ...time } = parseWish(c) ?? {};
  return (day?.kind === 'date' || dayProblem(c, day) !== undefined) && Object.keys(time).length > 0;
}

/** The answer of the clinic's FAQ, or from its profile; undefined if there is none. */
function* answerQuestion(c: Context): Turn<string | undefined> {
  // A greeting must not match a keyword that is only a part of one of its words.
  const faq = bestFaq(yield* request('faqs', {}), c.text, isGreeting(c.words) ? 'words' : 'part');
  if (faq) return faq.answer;
  const asked = askedAboutClinic(c);
  return asked && (yield* aboutClinic(c, asked));
}

/** «¿Qué doctores tienen el jueves?» asks for free times of that day. */
function askedAboutClinic(c: Context): ClinicQuestion | undefined {
  const asked = clinicIntent(c.words);
  return asked === 'doctors' && parseWish(c)?.day ? undefined : asked;
}

function* followIntent(c: Context, intent: Intent): Turn {
  yield* releaseSlot(c);
  switch (intent) {
    case 'emergency': {
      const { phone } = yield* request('clinic', {});
      const telefono = phone === null ? '' : c.say('emergency_phone', { telefono: phone });
      return handOver(c, 'emergency', c.say('emergency', { telefono }));
    }
    case 'person':
      return handOver(c, 'person', c.say('hand_over'));
    case 'complaint':
      return handOver(c, 'person', c.say('complaint'));
    case 'late':
      return handOver(c, 'late', c.say('late'));
    case 'book':
      return yield* chooseType(rememberWish(c));
    case 'wait':
      return yield* chooseType(explainDay(rememberPerson(c)), findWait(c) ?? WEEKS);
    case 'mine':
      return yield* appointments.chooseAppointment(c, 'show');
    case 'move':
      return yield* appointments.chooseAppointment(rememberNewTime(c), 'move');
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

/** Intents that end the current question unless the message answers it. */
const LEAVES: (Intent | undefined)[] = ['person', 'complaint', 'late', 'mine', 'move', 'cancel'];

/** Handles a message when there is a current question: its answer, an FAQ in between, or something else. */
function* continueSession(c: Context, intent: Intent | undefined): Turn {
  const { step } = c.session;
  if (intent === 'menu') return yield* followIntent(c, intent);
  if (isAbandoning(c.words) && step.name !== 'confirm_cancel') return yield* abandon(c);
  const answered = yield* takeAnswer(c, step, intent);
  if (answered) return answered;
  if (intent === 'no' && !isNumber(c.words)) return yield* abandon(c);
  const strong = intent && !['yes', 'no', 'thanks'].includes(intent) ? intent : strongIntent(c.words);
  if (strong && LEAVES.includes(strong)) return yield* followIntent(c, strong);
  if (intent === 'thanks') return yield* repeatQuestion(c, c.say('welcome'));
  const answer = yield* answerQuestion(c);
  if (answer !== undefined) return yield* repeatQuestion(c, answer);
  if (strong) return yield* followIntent(c, strong);
  if (asksForFacts(c.words)) return yield* repeatQuestion(c, c.say('fact_unknown'));
  if (asksForName(step)) return yield* repeatQuestion(c, c.say('bad_name'));
  // «Hola», «una cita»: more of what the patient has already written.
  if (isGreeting(c.words) || weakIntent(c.words) === 'book') return yield* repeatQuestion(c, '');
  // The person is asked for later.
  if (isForRelative(c.words) || isForMyself(c.words) || parseNamed(c.input.text)) return yield* repeatQuestion(rememberWish(c), c.say('noted'));
  if (weakIntent(c.words) === 'thanks') return yield* repeatQuestion(c, c.say('welcome'));
  return notUnderstood(c, yield* repeatQuestion(c, c.say('not_understood')));
}

/** Whether the message is the title of a button or row, which some patients type. */
const isTitle = (c: Context, title: TextKey) => c.words === foldPhrase(c.say(title));

/** The day, today or later, for which the message asks to wait. */
function findWait(c: Context): Wait | undefined {
  const day = parseDay(withoutClockTimes(c.text), dateIn(c.facts.zone, c.facts.now), c.session.language);
  return day !== undefined && day >= dateIn(c.facts.zone, c.facts.now) ? day : undefined;
}

/** Repeats the current question when the message answers a later one: a day, a time, or the doctor before the type is known. */
function* noteWish(c: Context, step: StepOf<'type' | 'doctor'>): Turn<TurnResult | undefined> {
  if (isNumber(c.words) || strongIntent(c.words)) return undefined;
  const wish = parseWish(c);
  const named = step.name === 'type' ? yield* rememberDoctor(c) : undefined;
  return wish || named ? yield* repeatQuestion(rememberWish(named ?? c), dayProblem(c, wish?.day) ?? c.say('noted')) : undefined;
}

/** Whether the answer to «¿Cancelo esta cita?» asks to move it: «no, mejor para el viernes». */
function movesInstead(c: Context, intent: Intent | undefined, strong: Intent | undefined): boolean {
  const wanted = intent === 'move' ? intent : (strong ?? unaskedIntent(c.words));
  return wanted === 'move' || (wanted === undefined && parseWish(c)?.day !== undefined);
}

/** The same slot of another doctor or type, if the message names one: «mejor con la doctora Paz». */
function* changeDoctor(c: Context, { slot, typeId }: StepOf<'whom' | 'name' | 'confirm'>): Turn<TurnResult | undefined> {
  const other = (yield* namesOther(c, typeId)) ? yield* chooseOther(c, { ...slot, typeId }) : undefined;
  if (other) yield* releaseSlot(c);
  return other;
}

/** «No, es Pedro Pérez», «no era así, es Pedro Pérez». */
const CORRECTION = /^\s*no(?![\p{L}\p{M}])[\s,.;:]*(?:(?:es|era) as[ií](?![\p{L}\p{M}])[\s,.;:]*)?/iu;

/** Undefined when the message does not answer the current question. */
function* takeAnswer(c: Context, step: Step, intent: Intent | undefined): Turn<TurnResult | undefined> {
  const strong = strongIntent(c.words);
  const wantsToWait = strong === 'wait';
  // A patient who was joining the waitlist now wants to book.
  if ('wait' in step && step.wait !== undefined && strong === 'book') return undefined;
  switch (step.name) {
    case 'type':
      return wantsToWait ? undefined : ((yield* answerType(rememberWish(c), step)) ?? (yield* noteWish(c, step)));
    case 'doctor':
      if (wantsToWait) return yield* chooseDoctor(c, { typeId: step.typeId, wait: findWait(c) ?? step.wait ?? WEEKS });
      return (yield* answerDoctor(rememberWish(c), step)) ?? (yield* noteWish(c, step));
    case 'day':
    case 'time': {
      const { move, typeId } = step;
      const full = step.name === 'day' ? step.full : undefined;
      if (wantsToWait && !move) return yield* askToWait(c, doctorOf(step), findWait(c) ?? full ?? WEEKS, typeId);
      if (isTitle(c, 'other_day')) return yield* askDay(c, doctorOf(step), { move, typeId });
      return move ? yield* answerDayOrTime(c, step) : ((yield* chooseOther(c, step)) ?? (yield* answerDayOrTime(rememberPerson(c), step)));
    }
    case 'whom':
    case 'wait_whom':
      if (isTitle(c, 'other_person')) return askOtherName(c, step);
      if (step.name === 'wait_whom') return (yield* answerWhom(c, step)) ?? (isForRelative(c.words) ? askOtherName(c, step) : undefined);
      return (yield* changeDoctor(c, step)) ?? (yield* answerWhom(c, step)) ?? (isForRelative(c.words) ? askOtherName(c, step) : yield* changeTime(c, step));
    case 'name':
    case 'wait_name': {
      const isOther = intent || strong || isGreeting(c.words) || isForMyself(c.words) || c.input.text.includes('?') || parseTimeWish(c.input.text);
      const name = isOther ? undefined : parsePersonName(c.input.text);
      if (name !== undefined) return yield* takeName(c, step, name);
      const suggested = suggestedName(c);
      if (isForMyself(c.words) && c.facts.patientName) return yield* continueForOwner(c, step);
      if (suggested && (isForMyself(c.words) || intent === 'yes')) return yield* takeName(c, step, suggested);
      return step.name === 'name' && !c.input.text.includes('?') ? ((yield* changeDoctor(c, step)) ?? (yield* changeTime(c, step))) : undefined;
    }
    case 'confirm': {
      if (agreesTo('book', c.words)) return yield* book(c, step);
      if (isTitle(c, 'other_name')) return askOtherName(c, step);
      if (intent === 'no') return yield* abandon(c);
      const other = yield* changeDoctor(c, step);
      if (other) return other;
      const corrected = c.input.text.replace(CORRECTION, '');
      const person = findPerson(yield* request('family', {}), parsePersonName(corrected) ?? '');
      const name = parseIntroducedName(corrected) ?? person?.name;
      if (name !== undefined) return yield* takeName(c, step, name);
      return isForRelative(c.words) ? askOtherName(c, step) : yield* changeTime(c, step);
    }
    case 'confirm_move':
      if (agreesTo('move', c.words)) return yield* appointments.moveAppointment(c, step);
      return intent === 'no' || leavesAsIs(c.words) ? yield* abandon(c) : yield* changeTime(c, step);
    case 'confirm_cancel':
      if (agreesTo('cancel', c.words)) return yield* appointments.actOn(c, 'drop', step.appointmentId);
      if (appointments.meansOther(c)) return yield* appointments.cancelOther(c, step.appointmentId);
      if (movesInstead(c, intent, strong)) return yield* appointments.actOn(rememberNewTime(c), 'move', step.appointmentId);
      if (willAttend(c.words) && [intent, strong].some((one) => one === 'yes' || one === 'confirm'))
        return yield* appointments.actOn(c, 'confirm', step.appointmentId);
      return intent === 'no' || leavesAsIs(c.words) ? stop(c) : undefined;
    case 'appointment':
      return yield* appointments.answerAppointment(c, step);
    default:
      return undefined;
  }
}
