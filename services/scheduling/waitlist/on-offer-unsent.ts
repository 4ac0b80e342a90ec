// An offer could not be sent. If the phone cannot be reached, the offer expires now, so that the slot is offered to the next entry. Otherwise the cause is
// on the side of the clinic or the provider, and would use up the waitlist: the offer begins now, as without chat, since the staff may call the patient.
import { oneByOne, subscribeAll } from '@clinic/lib/events/events.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { OutboundMessageUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { App } from '../app.ts';
import { ANSWER_MS, EXPIRE_OFFER } from './offer-slots.ts';
import { expireOfferAt } from './waitlist-offers.sql.ts';

/** Why a phone cannot be reached: codes of messaging and of the chat provider. */
const UNREACHABLE = ['no_phone', '131026', '131049', '131050', '131062'];

export const onOfferUnsent = (app: App) =>
  subscribeAll(
    'waitlist-offer-unsent',
    'messaging',
    OutboundMessageUpdatedSchema,
    oneByOne(async (tx, { reference, failure }, { clinicId }) => {
      const [, offerId = ''] = reference.split('/');
      if (!isUuid(offerId)) return;
      const now = app.clock.now();
      const expiresAt = UNREACHABLE.includes(failure) ? now : new Date(now.getTime() + ANSWER_MS);
      const changed = await expireOfferAt(tx, clinicId, offerId, expiresAt, now);
      if (changed) await enqueue(tx, EXPIRE_OFFER, { clinicId, offerId }, { startAfter: changed });
    }),
    // After `no_answer` the patient may have received the offer: the provider neither confirmed nor refused it.
    { concerns: ({ event: { kind, status, failure } }) => kind === 'waitlist' && status === 'failed' && failure !== 'no_answer' },
  );
