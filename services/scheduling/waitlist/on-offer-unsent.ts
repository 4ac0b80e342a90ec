// An offer could not be sent: it expires now, so that the slot is offered to the next entry.
import { subscribe } from '@clinic/lib/events/events.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { OutboundMessageUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { App } from '../app.ts';
import { EXPIRE_OFFER } from './offer-slots.ts';
import { expireOfferAt } from './waitlist-offers.sql.ts';

export const onOfferUnsent = (app: App) =>
  subscribe(
    'waitlist-offer-unsent',
    'messaging',
    OutboundMessageUpdatedSchema,
    async (tx, { reference }, { clinicId }) => {
      const [, offerId = ''] = reference.split('/');
      if (!isUuid(offerId)) return;
      const now = app.clock.now();
      if (await expireOfferAt(tx, clinicId, offerId, now, now)) await enqueue(tx, EXPIRE_OFFER, { clinicId, offerId });
    },
    // After `no_answer` the patient may have received the offer: the provider neither confirmed nor refused it.
    { concerns: ({ event: { kind, status, failure } }) => kind === 'waitlist' && status === 'failed' && failure !== 'no_answer' },
  );
