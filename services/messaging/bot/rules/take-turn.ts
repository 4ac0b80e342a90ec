// One turn of the bot: a message of the patient comes in, at most one of ours goes out.

import { dayIn, todayIn } from '@clinic/lib/formats/local-days.ts';
import { languageOf, plain } from '@clinic/lib/formats/words.ts';
import { bestFaq } from '../../faq/faq-match-rules.ts';
import { again } from './repeat-question.ts';
import { handOver, menu, textOf, turn } from './replies.ts';
import * as booking from './booking.ts';
import { type Intent, strongIntent, wantsOut, weakIntent, wholeIntent } from './intents.ts';
import { answerAsked } from './answer-open-question.ts';
import { onChoice } from './handle-choice.ts';
import { nameOf } from './parse-person-name.ts';
import { ask, type Context, type Facts, type Input, type Session, type Step, type Talk, type Turned } from './session.ts';
import * as visits from './appointments.ts';
import { timeIn } from './appointment-line.ts';

/** The whole of the bot. It is silent when the returned turn has no reply. */
export function* step(before: Session, input: Input, facts: Facts): Talk {
  const said = input.kind === 'text' ? plain(input.text) : '';
  const language = (before.step.name === 'name' ? undefined : languageOf(said)) ?? before.language; // a name tells no language
  const session = { ...before, language };
  const c: Context = { session, input, facts, said, say: facts.speak(language) };
  if (input.kind === 'preference') return yield* recallChoice(c, input.choice === 'marketing:stop', false);
  const intent = wholeIntent(said);
  if (intent === 'stop' || intent === 'start') return yield* recallChoice(c, intent === 'stop', true);
  if (input.kind === 'choice') return yield* onChoice(c);
  if (input.kind === 'other' || said === '') return yield* again(c, c.say('got_file'), true);
  return session.step.name === 'idle' ? yield* atRest(c, intent) : yield* underWay(c, intent);
}

/** Opting out is confirmed once; a choice made at the provider is noted without a word. */
function* recallChoice(c: Context, out: boolean, aloud: boolean): Talk {
  if (out) yield* booking.letGo(c);
  yield* ask('recall', { optIn: !out });
  const step: Step = out && aloud ? { name: 'idle' } : c.session.step;
  const session = { ...c.session, optedOut: out, step };
  const silent = !aloud || (out && c.session.optedOut);
  return silent ? { session } : { session, reply: textOf(c.say(out ? 'opted_out' : 'opted_in')) };
}

/** Nothing is under way: what does the message want? The clinic's own answers go before a word in passing. */
function* atRest(c: Context, intent: Intent | undefined): Talk {
  const asked = yield* ask('asked', {});
  const answered = asked && (yield* answerAsked(c, asked, intent));
  if (answered) return answered;
  const wanted = intent ?? strongIntent(c.said);
  if (wanted && wanted !== 'yes' && wanted !== 'no') return yield* follow(c, wanted);
  const faq = bestFaq(yield* ask('faqs', {}), c.said);
  if (faq) return turn(c, { name: 'idle' }, textOf(faq.answer));
  const hinted = weakIntent(c.said);
  if (hinted) return yield* follow(c, hinted);
  return wanted ? menu(c, c.say('greeting')) : menu(c, c.say('not_understood'));
}

function* follow(c: Context, intent: Intent): Talk {
  yield* booking.letGo(c);
  switch (intent) {
    case 'person':
      return handOver(c, c.say('hand_over'));
    case 'book':
      return yield* booking.begin(c);
    case 'mine':
      return yield* visits.visits(c, 'show');
    case 'move':
    case 'confirm':
    case 'cancel':
      return yield* visits.visits(c, intent);
    case 'thanks':
      return turn(c, { name: 'idle' }, textOf(c.say('welcome')));
    default:
      return menu(c, c.say('greeting'));
  }
}

/** Something is under way: an answer to its question, a question in between, or something else altogether. */
function* underWay(c: Context, intent: Intent | undefined): Talk {
  const { step } = c.session;
  if (intent === 'menu') return yield* follow(c, intent);
  if (wantsOut(c.said) && step.name !== 'confirm_cancel') return yield* booking.stop(c);
  const answered = yield* readAnswer(c, step, intent);
  if (answered) return answered;
  const strong = intent && !['yes', 'no', 'thanks'].includes(intent) ? intent : strongIntent(c.said);
  if (strong === 'person' || strong === 'mine' || strong === 'move' || strong === 'cancel') return yield* follow(c, strong);
  const faq = bestFaq(yield* ask('faqs', {}), c.said);
  if (faq) return yield* again(c, faq.answer);
  if (strong) return yield* follow(c, strong);
  if (step.name === 'name') return yield* again(c, c.say('bad_name'));
  return yield* again(c, c.say('not_understood'));
}

/** Undefined when the message is no answer to the question that stands. */
function* readAnswer(c: Context, step: Step, intent: Intent | undefined): Talk<Turned | undefined> {
  const today = todayIn(c.facts.zone, c.facts.now);
  switch (step.name) {
    case 'doctor':
      return yield* booking.readDoctor(c, step);
    case 'day': {
      const date = dayIn(c.said, today, c.session.language);
      const { doctorId: id, doctorName: name, move } = step;
      return date === undefined ? undefined : yield* booking.showTimes(c, { id, name }, date, { ...(move && { move }) });
    }
    case 'time': {
      const free = yield* ask('times', { doctorId: step.doctorId, date: step.date });
      const time = timeIn(c.input.text, free);
      const { doctorId, doctorName, date, move } = step;
      if (time)
        return move
          ? yield* visits.askToMove(c, { doctorId, doctorName, date, time }, move)
          : yield* booking.chooseTime(c, { doctorId, doctorName, date, time });
      const other = dayIn(c.said, today, c.session.language);
      return other === undefined ? undefined : yield* booking.showTimes(c, { id: doctorId, name: doctorName }, other, { ...(move && { move }) });
    }
    case 'name': {
      const name = intent || strongIntent(c.said) || c.input.text.includes('?') ? undefined : nameOf(c.input.text);
      return name === undefined ? undefined : booking.named(c, step, name);
    }
    case 'confirm':
      if (intent === 'yes' || intent === 'confirm' || intent === 'book') return yield* booking.book(c, step);
      return intent === 'no' ? yield* booking.stop(c) : undefined;
    case 'confirm_move':
      if (intent === 'yes' || intent === 'confirm' || intent === 'move') return yield* visits.moveVisit(c, step);
      return intent === 'no' ? yield* booking.stop(c) : undefined;
    case 'confirm_cancel':
      if (intent === 'yes' || intent === 'confirm' || intent === 'cancel') return yield* visits.onVisit(c, 'drop', step.visitId);
      return intent === 'no' ? menu(c, c.say('stopped')) : undefined;
    case 'visit':
      return yield* visits.readVisit(c, step);
    default:
      return undefined;
  }
}
