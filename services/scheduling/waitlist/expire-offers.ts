// Expires unanswered offers. Each offer queues a job for the time of its expiry; a sweep finds offers whose job was lost, and expires
// entries whose last date is over.

import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { DEFAULT_ZONE } from '@clinic/lib/formats/local-date.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { WaitlistEntryUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { EXPIRE_OFFER, passOffer } from './offer-slots.ts';
import { expireEntries, toState } from './waitlist-entries.sql.ts';
import { findDueOffer, listDueOffers } from './waitlist-offers.sql.ts';

const BATCH = 200;

type OfferRef = { clinicId: string; offerId: string };

export const expireOfferJob = (app: App) => job<OfferRef>(EXPIRE_OFFER, { concurrency: 2 }, (offer) => expireOffer(app, offer));

/** Does nothing when the offer was answered or has not expired. */
function expireOffer(app: App, { clinicId, offerId }: OfferRef): Promise<void> {
  return inTenant(app.db, clinicId, async (tx) => {
    const now = app.clock.now();
    const [offer, timezone] = await Promise.all([findDueOffer(tx, offerId, now), findZoneIn(tx, clinicId)]);
    if (offer) await passOffer(tx, { id: clinicId, timezone }, offer, 'expired', { status: 'waiting' }, now);
  });
}

export const sweepWaitlistJob = (app: App) => job('sweep-waitlist', { cron: '* * * * *' }, () => sweepWaitlist(app));

/** An offer that cannot be expired delays neither the others nor the entries. Fails at the end if there was one. */
export async function sweepWaitlist(app: App): Promise<void> {
  const now = app.clock.now();
  let failed = 0;
  // As the system: offers and entries of all clinics.
  for (const { clinic_id: clinicId, id: offerId } of await asSystem(app.db, (tx) => listDueOffers(tx, now, BATCH))) {
    await expireOffer(app, { clinicId, offerId }).catch((error: unknown) => {
      failed++;
      app.log.warn({ err: error, clinicId, offerId }, 'an offer of the waitlist could not be expired; the next sweep tries again');
    });
  }
  while ((await expireBatch(app, now)) === BATCH);
  if (failed > 0) throw new Error(`${failed} offers of the waitlist could not be expired`);
}

function expireBatch(app: App, now: Date): Promise<number> {
  return asSystem(app.db, async (tx) => {
    const entries = await expireEntries(tx, DEFAULT_ZONE, now, BATCH);
    await Promise.all(entries.map((entry) => emit(tx, entry.clinic_id, WaitlistEntryUpdatedSchema, toState(entry))));
    return entries.length;
  });
}
