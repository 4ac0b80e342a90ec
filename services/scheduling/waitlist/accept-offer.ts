// Accepts an offer: the held slot becomes an appointment. The offer's row lets only one of several concurrent requests book.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type AcceptOfferRequest, WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { type EmbeddedRow, toProto } from '../appointments/appointment-row.ts';
import { findAppointmentIn } from '../appointments/appointments.sql.ts';
import { insertBooking } from '../appointments/insert-booking.ts';
import { isActive } from '../appointments/status-rules.ts';
import { findAlerts } from '../medical-alerts/medical-alerts.sql.ts';
import { claimHeldSlot } from '../slots/claim-slot.ts';
import { closeOffer } from './offer-slots.ts';
import { type EntryRow, findEntry, needsOf } from './waitlist-entries.sql.ts';
import { findOpenOffer } from './waitlist-offers.sql.ts';

export async function acceptOffer(app: App, request: AcceptOfferRequest, call: Call) {
  const now = app.clock.now();
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Waitlist entry not found');
  const offerId = request.offerId === undefined ? undefined : parseUuid('offerId', request.offerId);
  return idempotent(app.db, call, WaitlistService.method.acceptOffer, request, async (tx) => {
    const before = found(await findEntry(tx, request.id), 'Waitlist entry');
    const offer = await findOpenOffer(tx, before.id, offerId);
    if (!offer) return toProto((await findBooked(tx, before, offerId, now)) ?? fail('OFFER_NOT_OPEN'));
    const id = v7();
    if (!(await closeOffer(tx, offer, 'accepted', { status: 'booked', appointmentId: id }, now))) fail('OFFER_NOT_OPEN');
    // Read again now that it is locked: a merge may have assigned it to another patient meanwhile.
    const entry = found(await findEntry(tx, before.id), 'Waitlist entry');
    // The draft was deleted with the offer, under the lock of the doctor's calendar. The claim fails only when the doctor or the type has changed.
    const { doctor_id: doctorId, appointment_date: date, start_time } = offer;
    const held = { doctorId, date, startTime: start_time.slice(0, 5), outsideHours: false, needs: needsOf(entry) };
    const [{ wanted, claimed }, alerts] = await Promise.all([claimHeldSlot(tx, clinicOf(call), held, now), findAlerts(tx, entry.patient_id)]);
    const patient = { id: entry.patient_id, full_name: entry.patient_name, phone: entry.patient_phone, alerts };
    const audited = { action: 'waitlist_entry.offer_accepted', entityId: entry.id, changes: { appointment_id: id } } as const;
    const booking = { id, wanted, patient, source: 'waitlist', notes: entry.notes, idempotency_key: keyOf(offer.id) } as const;
    return insertBooking(tx, call, claimed, booking, now, audited);
  });
}

const keyOf = (offerId: string) => `WAITLIST_${offerId}`;

/** The coming appointment that the offer `offerId` became: a patient who says yes twice gets the same response again. */
async function findBooked(tx: TenantTx, { appointment_id }: EntryRow, offerId: string | undefined, now: Date): Promise<EmbeddedRow | undefined> {
  if (!appointment_id || !offerId) return undefined;
  const appointment = await findAppointmentIn(tx, appointment_id);
  const isBooked = appointment && appointment.idempotency_key === keyOf(offerId) && isActive(appointment.status) && appointment.ends_at > now;
  return isBooked ? appointment : undefined;
}
