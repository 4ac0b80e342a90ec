// Writes the appointment of a claimed slot, with its event and its audit log entry.
import { type AuditEntry, audit } from '@clinic/lib/audit/audit.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { AppointmentBookedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { v7 } from 'uuid';
import type { BookedPatient } from '../patients/sql/patients.sql.ts';
import type { ClaimedSlot, WantedSlot } from '../slots/claim-slot.ts';
import { toProto, toState } from './appointment-row.ts';
import { findRefs, insertAppointment, type NewAppointment } from './appointments.sql.ts';

type Booking = Pick<NewAppointment, 'source' | 'status' | 'notes' | 'idempotency_key' | 'request_hash' | 'series_id'> & {
  id?: string;
  wanted: WantedSlot;
  patient: Pick<BookedPatient, 'id' | 'full_name' | 'phone' | 'alerts'>;
};

/** Throws SLOT_TAKEN when the slot is taken after all. `audited` is the audit log entry, by default that of a booking. */
export async function insertBooking(tx: TenantTx, call: Call, claimed: ClaimedSlot, booking: Booking, now: Date, audited?: AuditEntry) {
  const { doctor, slot, resourceId } = claimed;
  const { id = v7(), wanted, patient, ...rest } = booking;
  const appointment: NewAppointment = {
    id,
    doctor_id: wanted.doctorId,
    patient_id: patient.id,
    appointment_date: wanted.date,
    start_time: slot.startTime,
    end_time: slot.endTime,
    starts_at: new Date(slot.start),
    busy_until: new Date(slot.hold.end),
    ...rest,
    type_id: wanted.needs.typeId,
    duration_minutes: wanted.needs.durationMinutes,
    resource_id: resourceId,
  };
  const [inserted, refs] = await Promise.all([
    insertAppointment(tx, appointment, now),
    findRefs(tx, appointment),
    emit(tx, tx.clinicId, AppointmentBookedSchema, {
      appointment: toState({ ...appointment, status: rest.status ?? 'confirmed', revision: 1, updated_at: now }, doctor.timezone),
    }),
    audit(tx, tx.clinicId, call.caller, audited ?? { action: 'appointment.booked', entityId: id, changes: { patient_id: patient.id } }),
  ]);
  return toProto({
    ...(inserted ?? fail('SLOT_TAKEN')),
    ...refs,
    alerts: patient.alerts,
    patient_name: patient.full_name,
    patient_phone: patient.phone,
    requested_phone: null, // the desk sees it when it reads the appointment
    doctor_name: doctor.full_name,
    doctor_specialty: doctor.specialty,
  });
}
