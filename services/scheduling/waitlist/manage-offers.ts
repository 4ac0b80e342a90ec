// Starts the time that a patient has to answer an offer, and declines offers.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DeclineOfferRequest, StartOfferRequest } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import type { App } from '../app.ts';
import { lockDay } from '../slots/doctor-day.sql.ts';
import { ANSWER_MS, EXPIRE_OFFER, passOffer } from './offer-slots.ts';
import { findEntry, toProto } from './waitlist-entries.sql.ts';
import { expireOfferAt, findOpenOffer } from './waitlist-offers.sql.ts';

/** Begins the 15 minutes of an offer. Messaging calls it before each attempt to send the offer. */
export async function startOffer(app: App, { id, offerId }: StartOfferRequest, call: Call) {
  if (!isUuid(id) || !isUuid(offerId)) fail('NOT_FOUND', 'Waitlist entry not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const now = app.clock.now();
    const offer = (await findOpenOffer(tx, id, offerId)) ?? fail('OFFER_NOT_OPEN');
    await lockDay(tx, offer.doctor_id);
    const expiresAt = (await expireOfferAt(tx, tx.clinicId, offer.id, new Date(now.getTime() + ANSWER_MS), now)) ?? fail('OFFER_NOT_OPEN');
    await enqueue(tx, EXPIRE_OFFER, { clinicId: tx.clinicId, offerId }, { startAfter: expiresAt });
    return toProto(found(await findEntry(tx, id), 'Waitlist entry'));
  });
}

/** The slot is offered to the next entry, and this entry waits for another slot. */
export async function declineOffer(app: App, request: DeclineOfferRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Waitlist entry not found');
  const offerId = request.offerId === undefined ? undefined : parseUuid('offerId', request.offerId);
  return inTenant(app.db, clinic.id, async (tx) => {
    const before = found(await findEntry(tx, request.id), 'Waitlist entry');
    const offer = (await findOpenOffer(tx, before.id, offerId)) ?? fail('OFFER_NOT_OPEN');
    if (!(await passOffer(tx, clinic, offer, 'declined', { status: 'waiting' }, app.clock.now()))) fail('OFFER_NOT_OPEN');
    await audit(tx, clinic.id, call.caller, { action: 'waitlist_entry.offer_declined', entityId: before.id });
    return toProto(found(await findEntry(tx, before.id), 'Waitlist entry'));
  });
}
