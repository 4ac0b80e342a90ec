// Declines an offer: the slot is offered to the next entry, and this entry waits for another slot.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DeclineOfferRequest } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import type { App } from '../app.ts';
import { passOffer } from './offer-slots.ts';
import { findEntry, toProto } from './waitlist-entries.sql.ts';
import { findOpenOffer } from './waitlist-offers.sql.ts';

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
