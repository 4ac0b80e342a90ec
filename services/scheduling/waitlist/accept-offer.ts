// Accepts an offer: the held slot becomes an appointment. Of concurrent requests the offer's row lets one book.
import { audit } from '@clinic/lib/audit/audit.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AppointmentBookedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { type AcceptOfferRequest, WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { findRefs, insertAppointment, type NewAppointment, toProto, toState } from '../appointments/appointments.sql.ts';
import { findAlerts } from '../medical-alerts/medical-alerts.sql.ts';
import { claimSlot } from '../slots/claim-slot.ts';
import { resolveNeeds } from '../slots/slot-needs.ts';
import { closeOffer } from './offer-slots.ts';
import { findEntry, needsOf } from './waitlist-entries.sql.ts';
import { findOpenOffer } from './waitlist-offers.sql.ts';

export async function acceptOffer(app: App, request: AcceptOfferRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Waitlist entry not found');
  const offerId = request.offerId === undefined ? undefined : parseUuid('offerId', request.offerId);
  return idempotent(app.db, call, WaitlistService.method.acceptOffer, request, async (tx) => {
    const entry = found(await findEntry(tx, request.id), 'Waitlist entry');
    const offer = (await findOpenOffer(tx, entry.id, offerId)) ?? fail('OFFER_NOT_OPEN');
    const { doctor_id, appointment_date } = offer;
    const id = v7();
    if (!(await closeOffer(tx, offer, 'accepted', { status: 'booked', appointmentId: id }, now))) fail('OFFER_NOT_OPEN');
    // The draft was deleted with the offer, under the lock of the doctor's calendar. The claim fails only when the doctor's hours have changed.
    const needs = await resolveNeeds(tx, doctor_id, needsOf(entry));
    const wanted = { doctorId: doctor_id, date: appointment_date, startTime: offer.start_time.slice(0, 5), outsideHours: false, needs };
    const { doctor, slot, resourceId } = await claimSlot(tx, clinic, wanted, now);
    const booking: NewAppointment = {
      id,
      doctor_id,
      patient_id: entry.patient_id,
      appointment_date,
      start_time: slot.startTime,
      end_time: slot.endTime,
      starts_at: new Date(slot.start),
      busy_until: new Date(slot.hold.end),
      source: 'waitlist',
      notes: entry.notes,
      idempotency_key: `WAITLIST_${offer.id}`,
      type_id: needs.typeId,
      duration_minutes: needs.durationMinutes,
      resource_id: resourceId,
    };
    const appointment = (await insertAppointment(tx, booking, now)) ?? fail('SLOT_TAKEN');
    const [refs, alerts] = await Promise.all([
      findRefs(tx, booking),
      findAlerts(tx, entry.patient_id),
      emit(tx, clinic.id, AppointmentBookedSchema, { appointment: toState(appointment, doctor.timezone) }),
      audit(tx, clinic.id, call.caller, { action: 'waitlist_entry.offer_accepted', entityId: entry.id, changes: { appointment_id: id } }),
    ]);
    const { patient_name, patient_phone } = entry;
    return toProto({ ...appointment, ...refs, alerts, patient_name, patient_phone, doctor_name: doctor.full_name, doctor_specialty: doctor.specialty });
  });
}
