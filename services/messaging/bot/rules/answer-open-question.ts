// Answers to what we asked out of the blue: a reminder, an offer of the waitlist, an invitation to a check-up.
import { buttonsOf, menu, textOf, turn } from './replies.ts';
import { begin } from './booking.ts';
import type { Intent } from './intents.ts';
import { type Asked, ask, type Context, type Talk, type Turned } from './session.ts';
import { onVisit } from './appointments.ts';
import { visitLine } from './appointment-line.ts';

/** Undefined when the message is about something else. «1» means yes and «2» no, as people are used to. */
export function* answerAsked(c: Context, asked: Asked, intent: Intent | undefined): Talk<Turned | undefined> {
  const yes = intent === 'yes' || intent === 'confirm';
  if (asked.kind === 'reminder') {
    if (yes) return yield* onVisit(c, 'confirm', asked.appointmentId);
    if (intent === 'no' || intent === 'cancel') return yield* onVisit(c, 'cancel', asked.appointmentId);
    return intent === 'move' ? yield* onVisit(c, 'move', asked.appointmentId) : undefined;
  }
  if (asked.kind === 'waitlist') return yes || intent === 'no' ? yield* onOffer(c, asked.entryId, asked.offerId, yes) : undefined;
  if (yes) return yield* begin(c);
  return intent === 'no' ? turn(c, { name: 'idle' }, textOf(c.say('not_now'))) : undefined;
}

export const answerChoice = (c: Context, answer: string, entryId: string, offerId: string) => onOffer(c, entryId, offerId, answer === 'yes');

function* onOffer(c: Context, entryId: string, offerId: string, accept: boolean): Talk {
  const answer = yield* ask('offer', { entryId, offerId, accept });
  if (!accept) return answer.ok ? turn(c, { name: 'idle' }, textOf(c.say('offer_declined'))) : menu(c, c.say('offer_gone'));
  if (answer.ok && answer.visit) return turn(c, { name: 'idle' }, textOf(c.say('offer_booked', { cita: visitLine(answer.visit, c.session.language) })));
  return turn(c, { name: 'idle' }, buttonsOf(c, c.say('offer_gone'), ['do_book', 'do_book'], ['do_menu', 'do_menu']));
}
