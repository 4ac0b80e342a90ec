// Performs the effects of a turn: calls to scheduling, and reads of the clinic's FAQ and of the open question.
import { createHash } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { noteOfOther, otherName } from '@clinic/lib/formats/note-of-other.ts';
import { findReason } from '@clinic/lib/rpc/reasons.ts';
import type { ClinicProfile } from '@clinic/proto/identity/v1/profile_pb.js';
import type { Appointment } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { Doctor } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { type Asked, findOpenQuestion } from './open-question-rules.ts';
import type { Appointment as BotAppointment, ClinicFacts, Effect, Effects, Named, Needs, Outcome } from './rules/session.ts';

type Sender = { clinicId: string; phone: string; patientId: string | null; messageId: string; asked: Asked[] };

/** Errors that the turn receives as an outcome. After any other error, for example because scheduling is unavailable, the turn is retried. */
const REFUSALS = new Set([
  'NOT_FOUND',
  'SLOT_TAKEN',
  'SLOT_UNAVAILABLE',
  'APPOINTMENT_NOT_ACTIVE',
  'INSIDE_CANCELLATION_NOTICE',
  'OFFER_NOT_OPEN',
  'WAITLIST_ENTRY_EXISTS',
  'VALIDATION_ERROR',
  'CONFLICT',
]);

async function attempt<T>(work: Promise<T>): Promise<{ ok: true; value: T } | { ok: false; reason: string }> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    const reason = findReason(error);
    if (reason && REFUSALS.has(reason)) return { ok: false, reason };
    throw error;
  }
}

async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  const result = await attempt(work);
  return result.ok ? { ok: true } : result;
}

export const toBotAppointment = ({ id, doctorId, doctors, patients, appointmentDate, startTime, status, ...rest }: Appointment): BotAppointment => ({
  id,
  doctorId,
  doctorName: doctors?.fullName ?? '',
  patientName: otherName(rest.notes) ?? patients?.fullName ?? '',
  date: appointmentDate,
  time: startTime.slice(0, 5),
  status,
  typeId: rest.appointmentTypes?.id,
  minutes: rest.durationMinutes,
});

/** The hours of a weekday are from the first doctor's start to the last doctor's end. */
export function toClinicFacts(
  { phone, address, city }: Pick<ClinicProfile, 'phone' | 'address' | 'city'>,
  listed: Pick<Doctor, 'isActive' | 'doctorWorkingHours'>[],
): ClinicFacts {
  const spans = listed.filter(({ isActive }) => isActive).flatMap(({ doctorWorkingHours }) => doctorWorkingHours.filter(({ isActive }) => isActive));
  const hours = [1, 2, 3, 4, 5, 6, 7].flatMap((weekday) => {
    const ofDay = spans.filter(({ dayOfWeek }) => dayOfWeek === weekday % 7);
    const from = ofDay.map(({ startTime }) => startTime.slice(0, 5)).sort()[0];
    const to = ofDay
      .map(({ endTime }) => endTime.slice(0, 5))
      .sort()
      .at(-1);
    return from !== undefined && to !== undefined ? [{ weekday, from, to }] : [];
  });
  return { phone: phone || null, address: [address, city].filter(Boolean).join(', ') || null, hours };
}

/** The patient of a booking or a waitlist entry. */
const toPatient = ({ patientName, patientId, notes }: Named, phone: string) => ({
  ...(patientId === undefined ? { patientName, patientPhone: phone } : { patientId }),
  notes: notes === undefined ? undefined : noteOfOther('chat', notes, null),
});

const toNeeds = ({ typeId, minutes }: Needs) => ({ typeId, durationMinutes: minutes });

/**
 * The key is the same when the turn is retried, also by a process of another release. The fields therefore have the names and the order of the
 * first release.
 */
export function idempotencyKeyOf(messageId: string, effect: Effect): string {
  const fields = Object.entries(effect).map(([name, value]) => [name === 'appointmentId' ? 'visitId' : name, value]); // plain-words: visit is stored
  return createHash('sha256')
    .update(JSON.stringify([messageId, Object.fromEntries(fields)]))
    .digest('hex');
}

export async function performEffect(app: App, sender: Sender, effect: Effect): Promise<Effects[Effect['kind']]['result']> {
  const { clinicId, phone, messageId } = sender;
  const { agenda, appointments, appointmentTypes, doctors, lookup, slotDrafts, waitlist } = app.scheduling;
  const options = await app.clinics.callOptions(clinicId, idempotencyKeyOf(messageId, effect));
  switch (effect.kind) {
    case 'doctors': {
      const listed = await doctors.listDoctors({ page: 1, limit: 500 }, options);
      return listed.doctors.map(({ id, fullName, specialty }) => ({ id, name: fullName, specialty: specialty ?? '' }));
    }
    case 'types': {
      const listed = await appointmentTypes.listAppointmentTypes({ onlineBookable: true, page: 1, limit: 500 }, options);
      return listed.appointmentTypes.map(({ id, name, durationMinutes, doctorIds }) => ({ id, name, minutes: durationMinutes, doctorIds }));
    }
    case 'days': {
      const { doctorId, month, appointmentId } = effect;
      const found = await attempt(doctors.listAvailability({ doctorId, month, appointmentId, ...toNeeds(effect) }, options));
      return found.ok ? found.value.days.map(({ date, free }) => ({ date, free })) : [];
    }
    case 'times': {
      const { doctorId, date, appointmentId } = effect;
      const found = await attempt(doctors.listSlots({ doctorId, date, appointmentId, ...toNeeds(effect) }, options));
      return found.ok ? found.value.slots.map(({ startTime }) => startTime.slice(0, 5)) : [];
    }
    case 'clinic': {
      const [profile, listed] = await Promise.all([app.identity.profile.getClinicProfile({}, options), doctors.listDoctors({ page: 1, limit: 500 }, options)]);
      return toClinicFacts(profile, listed.doctors);
    }
    case 'workingHours': {
      const { doctorId, date } = effect;
      const found = await attempt(agenda.getAgenda({ doctorId, date }, options));
      const hours = found.ok ? found.value.doctors.flatMap((doctor) => doctor.hours) : [];
      return hours.map(({ startTime, endTime }) => ({ from: startTime.slice(0, 5), to: endTime.slice(0, 5) }));
    }
    case 'appointments':
      return (await lookup.listUpcomingAppointments({ phone }, options)).appointments.map(toBotAppointment);
    case 'family': {
      const { patient, dependants } = await lookup.findPatientByPhone({ phone }, options);
      const owner = patient && !patient.isArchived ? [{ id: patient.id, name: patient.fullName }] : [];
      return [...owner, ...dependants.map(({ id, fullName }) => ({ id, name: fullName, isDependant: true as const }))];
    }
    case 'faqs':
      return app.activeFaqs(clinicId);
    case 'openQuestion':
      return findOpenQuestion(sender.asked, app.clock.now());
    case 'hold': {
      const { doctorId, date: appointmentDate, time: startTime } = effect;
      const held = await attempt(slotDrafts.createSlotDraft({ doctorId, appointmentDate, startTime, ...toNeeds(effect) }, options));
      return held.ok ? { ok: true, draftId: held.value.id } : held;
    }
    case 'drop':
      return outcomeOf(slotDrafts.deleteSlotDraft({ id: effect.draftId }, options));
    case 'book': {
      const { doctorId, date: appointmentDate, time: startTime, draftId: slotDraftId } = effect;
      const booking = { doctorId, appointmentDate, startTime, slotDraftId, ...toPatient(effect, phone), ...toNeeds(effect) };
      return outcomeOf(appointments.bookAppointment(booking, options));
    }
    case 'move': {
      const { appointmentId: id, doctorId, date: appointmentDate, time: startTime } = effect;
      return outcomeOf(appointments.rescheduleAppointment({ id, doctorId, appointmentDate, startTime }, options));
    }
    case 'confirm':
      return outcomeOf(appointments.recordPatientConfirmation({ id: effect.appointmentId }, options));
    case 'status':
      return outcomeOf(appointments.updateAppointmentStatus({ id: effect.appointmentId, status: effect.status }, options));
    case 'join': {
      const { doctorId, from: dateFrom, to: dateTo } = effect;
      return outcomeOf(waitlist.joinWaitlist({ doctorId, dateFrom, dateTo, ...toPatient(effect, phone), ...toNeeds(effect) }, options));
    }
    case 'offered': {
      const { entries } = await waitlist.listWaitlist({ status: 'offered', page: 1, limit: 500 }, options);
      const { offer, notes } = entries.find(({ id }) => id === effect.entryId) ?? {};
      if (offer?.id !== effect.offerId || !offer.expiresAt || timestampDate(offer.expiresAt) <= app.clock.now()) return undefined;
      const { doctorId, appointmentDate: date, startTime } = offer;
      const { fullName: doctorName } = await doctors.getDoctor({ id: doctorId }, options);
      return { doctorId, doctorName, date, time: startTime.slice(0, 5), patientName: otherName(notes) ?? '' };
    }
    case 'offer': {
      const { entryId: id, offerId, accept } = effect;
      if (!accept) return outcomeOf(waitlist.declineOffer({ id, offerId }, options));
      const accepted = await attempt(waitlist.acceptOffer({ id, offerId }, options));
      return accepted.ok ? { ok: true, appointment: toBotAppointment(accepted.value) } : accepted;
    }
    case 'recall': {
      // By phone, because the choice also applies to a patient who is added later. Users who hide their phone have none.
      const request = { id: sender.patientId ?? '', optIn: effect.optIn, ...(phone.startsWith('+') && { phone }) };
      return outcomeOf(lookup.setRecallOptOut(request, options));
    }
  }
}
