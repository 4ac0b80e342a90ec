// Starts offers from the waitlist in clinics without chat, since the staff may call the patients. It is done outside the quiet hours, like sending an
// offer by chat; otherwise one offer after another would expire before anybody could call.

import type { Tx } from '@clinic/lib/db/db.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { startOffer } from './prepare-offer.ts';

const START_OFFER = 'start-waitlist-offer';

type OfferToStart = { clinicId: string; entryId: string; offerId: string };

export const startOfferAt = (tx: Tx, offer: OfferToStart, startAfter: Date) => enqueue(tx, START_OFFER, offer, { startAfter });

/** Does nothing if the offer is no longer open. */
export const startOfferJob = (app: App) =>
  job<OfferToStart>(START_OFFER, {}, async ({ clinicId, entryId, offerId }) => {
    await startOffer(app, clinicId, { entryId, offerId });
  });
