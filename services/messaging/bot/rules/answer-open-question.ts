// Answers to messages that the clinic sent unprompted: a reminder, an offer from the waitlist, an invitation to a check-up.
import { actOn } from './appointments.ts';
import { lineOf } from './choose-person.ts';
import { chooseType } from './choose-type.ts';
import type { Intent } from './intents.ts';
import { buttonsReply, finish, menu, textReply } from './replies.ts';
import { type Context, type OpenQuestion, request, type Turn, type TurnResult } from './session.ts';

/** Undefined when the message does not answer the question. */
export function* answerOpenQuestion(c: Context, question: OpenQuestion, intent: Intent | undefined): Turn<TurnResult | undefined> {
  const yes = intent === 'yes' || intent === 'confirm';
  if (question.kind === 'reminder') {
    if (yes) return yield* actOn(c, 'confirm', question.appointmentId);
    if (intent === 'no' || intent === 'cancel') return yield* actOn(c, 'cancel', question.appointmentId);
    return intent === 'move' ? yield* actOn(c, 'move', question.appointmentId) : undefined;
  }
  if (question.kind === 'waitlist') return yes || intent === 'no' ? yield* answerOffer(c, question.entryId, question.offerId, yes) : undefined;
  if (yes) return yield* chooseType(c);
  return intent === 'no' ? finish(c, textReply(c.say('not_now'))) : undefined;
}

export function* answerOffer(c: Context, entryId: string, offerId: string, accept: boolean): Turn {
  const outcome = yield* request('offer', { entryId, offerId, accept });
  if (!accept) return outcome.ok ? finish(c, textReply(c.say('offer_declined'))) : menu(c, c.say('offer_gone'));
  if (outcome.ok && outcome.appointment) return finish(c, textReply(c.say('offer_booked', { cita: lineOf(c, outcome.appointment) })));
  return finish(c, buttonsReply(c, c.say('offer_gone'), 'do_book', 'do_menu'));
}
