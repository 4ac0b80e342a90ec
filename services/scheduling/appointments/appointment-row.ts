// The columns of an appointment with the names of its patient, doctor, type and resource, and their shapes in responses and events.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import type { AppointmentStateSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { AppointmentSchema } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { type AlertRow, alertsOf, toProto as toAlert } from '../medical-alerts/medical-alerts.sql.ts';
import { ENDS_AT } from '../slots/ends-at.sql.ts';

export type AppointmentRow = {
  clinic_id: string;
  id: string;
  doctor_id: string;
  patient_id: string;
  appointment_date: string;
  start_time: string;
  end_time: string;
  starts_at: Date;
  /** Without the buffer. */
  ends_at: Date;
  /** With the buffer. */
  busy_until: Date;
  status: string;
  source: string;
  notes: string | null;
  idempotency_key: string;
  cancellation_reason: string | null;
  cancelled_at: Date | null;
  /** Cancelled by the patient inside the notice of the policy. */
  late_cancellation: boolean;
  completed_at: Date | null;
  checked_in_at: Date | null;
  /** When the patient confirmed that they will attend at the current time of the appointment. */
  patient_confirmed_at: Date | null;
  revision: number;
  created_at: Date;
  updated_at: Date;
  type_id: string | null;
  /** The length that the type or the request sets; null: that of the doctor's consultation. */
  duration_minutes: number | null;
  resource_id: string | null;
  series_id: string | null;
};

export type EmbeddedRow = AppointmentRow & {
  patient_name: string;
  patient_phone: string | null;
  /** The phone of a person who booked online without proving it and is not a patient yet. */
  requested_phone: string | null;
  doctor_name: string;
  doctor_specialty: string | null;
  type_name: string | null;
  type_color: string | null;
  resource_name: string | null;
  resource_kind: string | null;
  /** Alerts of the patient, the most severe first. */
  alerts: AlertRow[];
};

export function toProto(appointment: EmbeddedRow): MessageInitShape<typeof AppointmentSchema> {
  return {
    id: appointment.id,
    clinicId: appointment.clinic_id,
    doctorId: appointment.doctor_id,
    patientId: appointment.patient_id,
    appointmentDate: appointment.appointment_date,
    startTime: appointment.start_time,
    endTime: appointment.end_time,
    startsAt: timestampFromDate(appointment.starts_at),
    endsAt: timestampFromDate(appointment.ends_at),
    status: appointment.status,
    source: appointment.source,
    notes: appointment.notes ?? undefined,
    idempotencyKey: appointment.idempotency_key,
    cancellationReason: appointment.cancellation_reason ?? undefined,
    lateCancellation: appointment.late_cancellation,
    cancelledAt: toTimestamp(appointment.cancelled_at),
    completedAt: toTimestamp(appointment.completed_at),
    checkedInAt: toTimestamp(appointment.checked_in_at),
    patientConfirmedAt: toTimestamp(appointment.patient_confirmed_at),
    requestedPhone: appointment.requested_phone ?? undefined,
    createdAt: timestampFromDate(appointment.created_at),
    updatedAt: timestampFromDate(appointment.updated_at),
    patients: { id: appointment.patient_id, fullName: appointment.patient_name, phone: appointment.patient_phone ?? undefined },
    doctors: { id: appointment.doctor_id, fullName: appointment.doctor_name, specialty: appointment.doctor_specialty ?? undefined },
    durationMinutes: appointment.duration_minutes ?? undefined,
    ...toRefs(appointment),
    seriesId: appointment.series_id ?? undefined,
    alerts: appointment.alerts.map(toAlert),
  };
}

export type RefRow = Pick<EmbeddedRow, 'type_id' | 'type_name' | 'type_color' | 'resource_id' | 'resource_name' | 'resource_kind'>;

/** The type, and the chair or room. */
export const toRefs = (row: RefRow) => ({
  appointmentTypes: row.type_id ? { id: row.type_id, name: row.type_name ?? '', color: row.type_color ?? '' } : undefined,
  resources: row.resource_id ? { id: row.resource_id, name: row.resource_name ?? '', kind: row.resource_kind ?? '' } : undefined,
});

export type AppointmentState = Pick<
  AppointmentRow,
  'id' | 'doctor_id' | 'patient_id' | 'appointment_date' | 'starts_at' | 'status' | 'source' | 'revision' | 'updated_at'
>;

/** Of an AppointmentState. */
export const STATE_COLUMNS = 'id, doctor_id, patient_id, appointment_date, starts_at, status, source, revision, updated_at';

/** The appointment as events carry it. */
export function toState(appointment: AppointmentState, timezone: string): MessageInitShape<typeof AppointmentStateSchema> {
  return {
    appointmentId: appointment.id,
    doctorId: appointment.doctor_id,
    patientId: appointment.patient_id,
    appointmentDate: appointment.appointment_date,
    startsAt: timestampFromDate(appointment.starts_at),
    status: appointment.status,
    source: appointment.source,
    timezone,
    revision: appointment.revision,
    changedAt: timestampFromDate(appointment.updated_at),
  };
}

/** Names of the type and the resource of the row `a`. */
export const REFS = 't.name as type_name, t.color as type_color, r.name as resource_name, r.kind as resource_kind';
export const REF_JOINS = `left join appointment_types t on t.clinic_id = a.clinic_id and t.id = a.type_id
  left join resources r on r.clinic_id = a.clinic_id and r.id = a.resource_id`;

/** Of AppointmentRow, from the row `a`. */
export const COLUMNS = `a.clinic_id, a.id, a.doctor_id, a.patient_id, a.appointment_date, a.start_time, a.end_time, a.starts_at, ${ENDS_AT} as ends_at, upper(a.busy) as busy_until, a.status,
  a.source, a.notes, a.idempotency_key, a.cancellation_reason, a.cancelled_at, a.late_cancellation, a.patient_confirmed_at, a.completed_at, a.checked_in_at, a.revision, a.created_at, a.updated_at,
  a.type_id, a.duration_minutes, a.resource_id, a.series_id`;
/** Of EmbeddedRow, with JOINS. */
export const EMBEDDED = `${COLUMNS}, p.full_name as patient_name, p.phone as patient_phone, p.claimed_phone as requested_phone, d.full_name as doctor_name,
  d.specialty as doctor_specialty, ${REFS},
  ${alertsOf('a.clinic_id', 'a.patient_id')}`;
export const JOINS = `join patients p on p.clinic_id = a.clinic_id and p.id = a.patient_id
  join doctors d on d.clinic_id = a.clinic_id and d.id = a.doctor_id ${REF_JOINS}`;
