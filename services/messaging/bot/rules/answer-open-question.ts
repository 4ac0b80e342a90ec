// Answers to messages that the clinic sent unprompted: a reminder, an offer from the waitlist, an invitation to a check-up.
import { actOn } from './appointments.ts';
import type { ButtonAction } from './button-ids.ts';
import { lineOf } from './choose-person.ts';
import { chooseType } from './choose-type.ts';
import { type Intent, isRefusal, strongIntent, unaskedIntent } from './intents.ts';
import { buttonsReply, finish, menu, textReply } from './replies.ts';
import { type Context, type OpenQuestion, request, type Turn, type TurnResult } from './session.ts';
import { parseWish, rememberWish } from './wish.ts';

/** Undefined when the message does not answer the question. */
export function* answerOpenQuestion(c: Context, question: OpenQuestion, intent: Intent | undefined): Turn<TurnResult | undefined> {
  const yes = intent === 'yes' || intent === 'confirm';
  if (question.kind === 'reminder') return yield* answerReminder(c, question.appointmentId, intent);
  if (question.kind === 'waitlist') {
    const accepts = yes || c.words === ' quiero ';
    const declines = intent === 'no' || (isRefusal(c.words) && !strongIntent(c.words));
    return accepts || declines ? yield* answerOffer(c, question.entryId, question.offerId, accepts) : undefined;
  }
  if (yes) return yield* chooseType(c);
  return intent === 'no' ? finish(c, textReply(c.say('not_now'))) : undefined;
}

function* answerReminder(c: Context, appointmentId: string, intent: Intent | undefined): Turn<TurnResult | undefined> {
  const isMove = [intent, strongIntent(c.words), unaskedIntent(c.words)].includes('move');
  if (isMove) return yield* actOn(rememberWish(c), 'move', appointmentId);
  // A sentence that names a day may be about another appointment.
  const wanted = intent ?? (parseWish(c)?.day ? undefined : strongIntent(c.words));
  if (wanted === 'yes' || wanted === 'confirm') return yield* actOn(c, 'confirm', appointmentId);
  if (wanted === 'no' || wanted === 'cancel') return yield* actOn(c, 'cancel', appointmentId);
  return unaskedIntent(c.words) === 'mine' ? yield* actOn(c, 'show', appointmentId) : undefined;
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
