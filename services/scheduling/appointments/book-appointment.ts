// Books a slot at the desk or through the chat channel. The rule says whether the start is a slot; the exclusion constraint says who gets it.
import { audit } from '@clinic/lib/audit/audit.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseClockTime } from '@clinic/lib/formats/clock-time.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AppointmentBookedSchema, PatientCreatedSchema, PatientUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { AppointmentService, type BookAppointmentRequest } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { parseDui } from '../patients/rules/dui.ts';
import { searchName } from '../patients/rules/name.ts';
import { toE164 } from '../patients/rules/phone.ts';
import { sealDui } from '../patients/sealed-dui.ts';
import { setDui, toState as toPatientState, upsertByPhone } from '../patients/sql/patients.sql.ts';
import { claimSlot } from '../slots/claim-slot.ts';
import { deleteDraft } from '../slots/slot-drafts.sql.ts';
import { insertAppointment, type NewAppointment, toProto, toState } from './appointments.sql.ts';
import { isChat } from './status-rules.ts';

export async function bookAppointment(app: App, request: BookAppointmentRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const doctorId = parseUuid('doctorId', request.doctorId);
  const date = parseLocalDate('appointmentDate', request.appointmentDate);
  const startTime = parseClockTime('startTime', request.startTime);
  const full_name = parseText('patientName', request.patientName, 200);
  const phone = toE164(request.patientPhone, clinic.country) ?? invalid('patientPhone', 'must be a phone number, for example +50371234567');
  const dui = request.patientDui ? (parseDui(request.patientDui) ?? invalid('patientDui', 'must be 8 digits, a dash and 1 digit')) : undefined;
  const notes = parseOptionalText('notes', request.notes, 5000);
  const draftId = request.slotDraftId === undefined ? undefined : parseUuid('slotDraftId', request.slotDraftId);

  return idempotent(app.db, call, AppointmentService.method.bookAppointment, request, async (tx) => {
    const wanted = { doctorId, date, startTime, outsideHours: request.outsideHours };
    const [{ doctor, slot }, patient, redeemed] = await Promise.all([
      claimSlot(tx, clinic, wanted, now, { draftId }),
      upsertByPhone(tx, v7(), { full_name, search_name: searchName(full_name), phone }, now),
      draftId === undefined ? true : deleteDraft(tx, draftId, doctorId),
    ]);
    if (!redeemed) fail('NOT_FOUND', 'Slot draft not found');
    const booking: NewAppointment = {
      id: v7(),
      doctor_id: doctorId,
      patient_id: patient.id,
      appointment_date: date,
      start_time: slot.startTime,
      end_time: slot.endTime,
      starts_at: new Date(slot.start),
      busy_until: new Date(slot.hold.end),
      source: isChat(call.caller) ? 'chat' : 'manual',
      notes,
      idempotency_key: `${isChat(call.caller) ? 'CHAT' : 'MANUAL'}_${call.idempotencyKey ?? v7()}`,
    };
    const [inserted] = await Promise.all([
      insertAppointment(tx, booking, now),
      dui && setDui(tx, patient.id, sealDui(app.keys, clinic.id, patient.id, dui), now),
      emit(tx, clinic.id, patient.inserted ? PatientCreatedSchema : PatientUpdatedSchema, { patientId: patient.id, patient: toPatientState(patient) }),
      emit(tx, clinic.id, AppointmentBookedSchema, { appointment: toState({ ...booking, status: 'confirmed', revision: 1 }, clinic.timezone) }),
      audit(tx, clinic.id, call.caller, { action: 'appointment.booked', entityId: booking.id }),
    ]);
    const appointment = inserted ?? fail('SLOT_TAKEN');
    return toProto({
      ...appointment,
      patient_name: patient.full_name,
      patient_phone: patient.phone,
      doctor_name: doctor.full_name,
      doctor_specialty: doctor.specialty,
    });
  });
}
