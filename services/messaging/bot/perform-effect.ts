// What the bot asks of the world, answered by scheduling and by our own tables. A call that creates carries a key made of the
// message and of what it asks, so that a turn that is taken again does nothing twice.
import { createHash } from 'node:crypto';
import { rows, type TenantTx } from '@clinic/lib/db/db.ts';
import { reasonOf } from '@clinic/lib/rpc/reasons.ts';
import { type Appointment, AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { createClient } from '@connectrpc/connect';
import type { App } from '../app.ts';
import { listActiveFaqsStatement, toCandidate } from '../faq/faqs.sql.ts';
import { findAsked } from './open-question.sql.ts';
import type { Done, Need, Needs, Visit } from './rules/session.ts';

type Turn = { clinicId: string; phone: string; patientId: string | null; messageId: string };

/** Refusals are answers; that scheduling is away is not, and the turn comes again. */
const REFUSALS = new Set(['NOT_FOUND', 'SLOT_TAKEN', 'SLOT_UNAVAILABLE', 'APPOINTMENT_NOT_ACTIVE', 'OFFER_NOT_OPEN', 'VALIDATION_ERROR', 'CONFLICT']);

async function tried<T>(work: Promise<T>): Promise<{ ok: true; value: T } | { ok: false; reason: string }> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    const reason = reasonOf(error);
    if (reason && REFUSALS.has(reason)) return { ok: false, reason };
    throw error;
  }
}

const done = async (work: Promise<unknown>): Promise<Done> => {
  const result = await tried(work);
  return result.ok ? { ok: true } : result;
};

export const toVisit = ({ id, doctorId, doctors, patients, appointmentDate, startTime, status }: Appointment): Visit => ({
  id,
  doctorId,
  doctorName: doctors?.fullName ?? '',
  patientName: patients?.fullName ?? '',
  date: appointmentDate,
  time: startTime.slice(0, 5),
  status,
});

export async function answerNeed(app: App, tx: TenantTx, turn: Turn, need: Need): Promise<Needs[Need['kind']]['answer']> {
  const { clinicId, phone, messageId } = turn;
  const scheduling = app.neighbour('scheduling');
  const key = createHash('sha256')
    .update(JSON.stringify([messageId, need]))
    .digest('hex');
  const options = await app.clinics.acting(clinicId, key);
  switch (need.kind) {
    case 'doctors': {
      const { doctors } = await createClient(DoctorService, scheduling).listDoctors({ page: 1, limit: 500 }, options);
      return doctors.map(({ id, fullName, specialty }) => ({ id, name: fullName, specialty: specialty ?? '' }));
    }
    case 'days': {
      const { doctorId, month } = need;
      const found = await tried(createClient(DoctorService, scheduling).listAvailability({ doctorId, month }, options));
      return found.ok ? found.value.days.map(({ date, free }) => ({ date, free })) : [];
    }
    case 'times': {
      const { doctorId, date } = need;
      const found = await tried(createClient(DoctorService, scheduling).listSlots({ doctorId, date }, options));
      return found.ok ? found.value.slots.map(({ startTime }) => startTime.slice(0, 5)) : [];
    }
    case 'visits': {
      const { appointments } = await createClient(LookupService, scheduling).listUpcomingAppointments({ phone }, options);
      return appointments.map(toVisit);
    }
    case 'faqs':
      return (await rows(tx, listActiveFaqsStatement, [clinicId])).map(toCandidate);
    case 'asked':
      return findAsked(tx, phone, app.clock.now());
    case 'hold': {
      const { doctorId, date: appointmentDate, time: startTime } = need;
      const held = await tried(createClient(SlotDraftService, scheduling).createSlotDraft({ doctorId, appointmentDate, startTime }, options));
      return held.ok ? { ok: true, draftId: held.value.id } : held;
    }
    case 'drop':
      return done(createClient(SlotDraftService, scheduling).deleteSlotDraft({ id: need.draftId }, options));
    case 'book': {
      const { doctorId, date: appointmentDate, time: startTime, patientName, notes, draftId } = need;
      const booking = { doctorId, appointmentDate, startTime, patientName, patientPhone: phone };
      const more = { ...(notes !== undefined && { notes: `Por chat, para: ${notes}` }), ...(draftId !== undefined && { slotDraftId: draftId }) };
      return done(createClient(AppointmentService, scheduling).bookAppointment({ ...booking, ...more }, options));
    }
    case 'move': {
      const { visitId: id, doctorId, date: appointmentDate, time: startTime } = need;
      return done(createClient(AppointmentService, scheduling).rescheduleAppointment({ id, doctorId, appointmentDate, startTime }, options));
    }
    case 'status':
      return done(createClient(AppointmentService, scheduling).updateAppointmentStatus({ id: need.visitId, status: need.status }, options));
    case 'offer': {
      const waitlist = createClient(WaitlistService, scheduling);
      const { entryId: id, offerId, accept } = need;
      if (!accept) return done(waitlist.declineOffer({ id, offerId }, options));
      const accepted = await tried(waitlist.acceptOffer({ id, offerId }, options));
      return accepted.ok ? { ok: true, visit: toVisit(accepted.value) } : accepted;
    }
    case 'recall':
      if (!turn.patientId) return { ok: true };
      return done(createClient(LookupService, scheduling).setRecallOptOut({ id: turn.patientId, optIn: need.optIn }, options));
  }
}
