// Silence passes a slot on. Each offer queues a job of its own for its last moment; a sweep finds what that has missed, and
// takes off the waitlist whose days are over.
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { WaitlistEntryUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { DEFAULT_ZONE, findZone } from '../clinics/clinics.sql.ts';
import { EXPIRE_OFFER, passOn } from './offer-slots.ts';
import { expireEntries, toState } from './waitlist-entries.sql.ts';
import { findDueOffer, listDueOffers } from './waitlist-offers.sql.ts';

const BATCH = 200;

type Named = { clinicId: string; offerId: string };

export const expireOfferJob = (app: App) => job<Named>(EXPIRE_OFFER, { concurrency: 2 }, (offer) => expireOffer(app, offer));

/** Nothing happens to an offer that was answered, or that still has time. */
export function expireOffer(app: App, { clinicId, offerId }: Named): Promise<void> {
  return inTenant(app.db, clinicId, async (tx) => {
    const now = app.clock.now();
    const [offer, timezone] = await Promise.all([findDueOffer(tx, offerId, now), findZone(tx, clinicId)]);
    if (offer) await passOn(tx, { id: clinicId, timezone }, offer, 'expired', { status: 'waiting' }, now);
  });
}

export const sweepWaitlistJob = (app: App) => job('sweep-waitlist', { cron: '* * * * *' }, () => sweepWaitlist(app));

export async function sweepWaitlist(app: App): Promise<void> {
  const now = app.clock.now();
  // As the system: offers and entries of all clinics.
  for (const { clinic_id, id } of await asSystem(app.db, (tx) => listDueOffers(tx, now, BATCH))) await expireOffer(app, { clinicId: clinic_id, offerId: id });
  while ((await expireBatch(app, now)) === BATCH);
}

function expireBatch(app: App, now: Date): Promise<number> {
  return asSystem(app.db, async (tx) => {
    const entries = await expireEntries(tx, DEFAULT_ZONE, now, BATCH);
    await Promise.all(entries.map((entry) => emit(tx, entry.clinic_id, WaitlistEntryUpdatedSchema, toState(entry))));
    return entries.length;
  });
}
