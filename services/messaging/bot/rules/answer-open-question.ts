// Answers to messages that the clinic sent unprompted: a reminder, an offer from the waitlist, an invitation to a check-up.
import { actOn } from './appointments.ts';
import type { ButtonAction } from './button-ids.ts';
import { lineOf } from './choose-person.ts';
import { chooseType } from './choose-type.ts';
import { type Intent, isRefusal, strongIntent, unaskedIntent } from './intents.ts';
import { buttonsReply, finish, menu, textReply } from './replies.ts';
import { type Context, type OpenQuestion, request, type Turn, type TurnResult } from './session.ts';

/** Undefined when the message does not answer the question. */
export function* answerOpenQuestion(c: Context, question: OpenQuestion, intent: Intent | undefined): Turn<TurnResult | undefined> {
  const yes = intent === 'yes' || intent === 'confirm';
  if (question.kind === 'reminder') {
    if (yes) return yield* actOn(c, 'confirm', question.appointmentId);
    if (intent === 'no' || intent === 'cancel') return yield* actOn(c, 'cancel', question.appointmentId);
    if (unaskedIntent(c.words) === 'mine') return yield* actOn(c, 'show', question.appointmentId);
    return intent === 'move' ? yield* actOn(c, 'move', question.appointmentId) : undefined;
  }
  if (question.kind === 'waitlist') {
    const accepts = yes || c.words === ' quiero ';
    const declines = intent === 'no' || (isRefusal(c.words) && !strongIntent(c.words));
    return accepts || declines ? yield* answerOffer(c, question.entryId, question.offerId, accepts) : undefined;
  }
  if (yes) return yield* chooseType(c);
  return intent === 'no' ? finish(c, textReply(c.say('not_now'))) : undefined;
}

/** Shows an offer again after a message that is not understood; undefined when the offer is over. */
export function* repeatOffer(c: Context, { entryId, offerId }: { entryId: string; offerId: string }): Turn<TurnResult | undefined> {
  const slot = yield* request('offered', { entryId, offerId });
  if (!slot) return undefined;
  const text = c.say('offer_again', { cita: lineOf(c, slot) });
  const answer = (accept: boolean): ButtonAction => ({ kind: 'offer', accept, entryId, offerId });
  return finish(c, buttonsReply(c, text, [answer(true), 'yes_offer'], [answer(false), 'no_thanks']));
}

export function* answerOffer(c: Context, entryId: string, offerId: string, accept: boolean): Turn {
  const outcome = yield* request('offer', { entryId, offerId, accept });
  if (!accept) return outcome.ok ? finish(c, textReply(c.say('offer_declined'))) : menu(c, c.say('offer_gone'));
  if (outcome.ok && outcome.appointment) return finish(c, textReply(c.say('offer_booked', { cita: lineOf(c, outcome.appointment) })));
  return finish(c, buttonsReply(c, c.say('offer_gone'), 'do_book', 'do_menu'));
}
