// Answers to messages that the clinic sent unprompted: a reminder, an offer from the waitlist, an invitation to a check-up.
import { actOn, findNamed, findOfPatient, withoutSignature } from './appointments.ts';
import type { AppointmentAction, ButtonAction } from './button-ids.ts';
import { lineOf } from './choose-person.ts';
import { chooseType } from './choose-type.ts';
import { type Intent, isAcknowledgement, isRefusal, leavesAsIs, strongIntent, unaskedIntent } from './intents.ts';
import { asDone, buttonsReply, finish, menu, notUnderstood, textReply } from './replies.ts';
import { type Context, type OpenQuestion, request, type Turn, type TurnResult } from './session.ts';
import { parseWish, rememberNewTime } from './wish.ts';

/** Undefined when the message does not answer the question. */
export function* answerOpenQuestion(c: Context, question: OpenQuestion, intent: Intent | undefined): Turn<TurnResult | undefined> {
  const { doneAt } = c.session;
  // After a booking or the like, «ok» acknowledges it rather than answers an older question.
  const isOlder = doneAt !== undefined && question.askedAt.getTime() <= Date.parse(doneAt);
  if (isOlder && !question.isQuoted && isAcknowledgement(c.words)) return undefined;
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

function* answerReminder(c: Context, remindedId: string, intent: Intent | undefined): Turn<TurnResult | undefined> {
  const action = reminderAction(c, intent);
  if (!action) return undefined;
  const all = yield* request('appointments', {});
  // Once the appointment is past or cancelled, only a short answer is still about it: «quiero cancelar mi cita» means the next one.
  const isShort = intent === 'yes' || intent === 'no' || intent === 'confirm';
  if (!isShort && !all.some(({ id }) => id === remindedId)) return undefined;
  const unsigned = withoutSignature(c);
  // In a request to move one, the day may be the new one.
  const find = action === 'move' ? findOfPatient : findNamed;
  const named = intent === undefined && all.length > 1 ? find(unsigned, all) : undefined;
  return yield* actOn(action === 'move' ? rememberNewTime(c) : c, action, named?.id ?? remindedId);
}

/** What the message asks to do in reply to a reminder. */
function reminderAction(c: Context, intent: Intent | undefined): AppointmentAction | undefined {
  if (leavesAsIs(c.words)) return 'show';
  const [strong, unasked] = [strongIntent(c.words), unaskedIntent(c.words)];
  if ([intent, strong, unasked].includes('move')) return 'move';
  // A sentence that names a day may be about another appointment.
  const wanted = intent ?? (parseWish(c)?.day ? undefined : strong);
  if (wanted === 'yes' || wanted === 'confirm') return 'confirm';
  if (wanted === 'no' || wanted === 'cancel') return 'cancel';
  return unasked === 'mine' ? 'show' : undefined;
}

/** Shows an offer again after a message that is not understood; undefined when the offer is over. */
export function* repeatOffer(c: Context, { entryId, offerId }: { entryId: string; offerId: string }): Turn<TurnResult | undefined> {
  const slot = yield* request('offered', { entryId, offerId });
  if (!slot) return undefined;
  const text = c.say('offer_again', { cita: lineOf(c, slot) });
  const answer = (accept: boolean): ButtonAction => ({ kind: 'offer', accept, entryId, offerId });
  const { session, ...result } = finish(c, buttonsReply(c, text, [answer(true), 'yes_offer'], [answer(false), 'no_thanks']));
  return notUnderstood(c, { ...result, session: { ...session, doneAt: undefined } });
}

export function* answerOffer(c: Context, entryId: string, offerId: string, accept: boolean): Turn {
  const outcome = yield* request('offer', { entryId, offerId, accept });
  if (!accept) return outcome.ok ? asDone(c, finish(c, textReply(c.say('offer_declined')))) : menu(c, c.say('offer_gone'));
  if (outcome.ok && outcome.appointment) return asDone(c, finish(c, textReply(c.say('offer_booked', { cita: lineOf(c, outcome.appointment) }))));
  return finish(c, buttonsReply(c, c.say('offer_gone'), 'do_book', 'do_menu'));
}
