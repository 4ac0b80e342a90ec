// Sets the status of an appointment, from any other status. The row lock makes concurrent identical changes count once.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { type Caller, isOfClinic } from '@clinic/lib/rpc/caller.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import {
  AppointmentReassignedSchema,
  AppointmentStatusChangedSchema,
  AppointmentsUpdatedSchema,
  PatientsMergedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import type { UpdateAppointmentStatusRequest } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { resolveClaim } from '../patients/claimed-phone.ts';
import { changeNoShowCount } from '../patients/sql/patients.sql.ts';
import { reclaimSlot } from '../slots/claim-slot.ts';
import { lockDay } from '../slots/doctor-day.sql.ts';
import { type EmbeddedRow, toProto, toState } from './appointment-row.ts';
import { lockAppointment } from './appointments.sql.ts';
import { findPolicy, type PolicyRow } from './cancellation-policy.sql.ts';
import { setPatient, setStatus } from './change-appointment.sql.ts';
import { confirmsPerson, isActive, isInsideNotice, MAX_CANCELLATION_REASON, noShowChange, SETTABLE_STATUSES, stampsOf } from './status-rules.ts';

export async function updateAppointmentStatus(app: App, request: UpdateAppointmentStatusRequest, call: Call) {
  const clinic = clinicOf(call);
  const status = parseOneOf('status', request.status, SETTABLE_STATUSES);
  const reason = parseOptionalText('cancellation_reason', request.cancellationReason, MAX_CANCELLATION_REASON);
  if (reason !== null && status !== 'cancelled') invalid('cancellation_reason', 'must not be sent with another status than cancelled');
  const byClinic = request.cancelledByClinic;
  if (byClinic && status !== 'cancelled') invalid('cancelled_by_clinic', 'must not be sent with another status than cancelled');
  return inTenant(app.db, clinic.id, async (tx) => {
    const [locked, timezone] = await Promise.all([lockAppointment(tx, request.id), findZoneIn(tx, clinic.id, clinic.timezone)]);
    const before = found(locked, 'Appointment');
    if (before.status === status) return correctCancellation(app, tx, call, before, { reason, byClinic }, timezone);
    return changeStatus(app, tx, call, before, { status, reason, byClinic }, timezone);
  });
}

type Correction = { reason: string | null; byClinic: boolean };

/** Corrects a cancellation: its reason, or that the clinic rather than the patient cancelled. */
async function correctCancellation(app: App, tx: TenantTx, call: Call, before: EmbeddedRow, { reason, byClinic }: Correction, timezone: string) {
  const { cancellation_reason, late_cancellation } = before;
  const corrected = { cancellation_reason: reason ?? cancellation_reason, late_cancellation: late_cancellation && !byClinic };
  // The reason may quote the patient, so the audit log records only that it changed.
  const changes = maskChanges({ cancellation_reason, late_cancellation }, corrected, ['cancellation_reason']);
  if (Object.keys(changes).length === 0) return toProto(before);
  const after = await setStatus(tx, before, { ...before, ...corrected }, app.clock.now());
  await Promise.all([
    emit(tx, tx.clinicId, AppointmentsUpdatedSchema, { appointments: [toState(after, timezone)] }),
    audit(tx, tx.clinicId, call.caller, { action: 'appointment.updated', entityId: before.id, changes }),
  ]);
  return toProto(after);
}

type Change = { status: string; reason: string | null; byClinic: boolean; seriesPosition?: number };

/** Changes a locked appointment to another status. `timezone` is the stored zone of the clinic. */
export async function changeStatus(app: App, tx: TenantTx, call: Call, before: EmbeddedRow, change: Change, timezone: string) {
  const { status, reason, byClinic, seriesPosition = 0 } = change;
  const clinic = clinicOf(call);
  const now = app.clock.now();
  if (isActive(status) && !isActive(before.status)) await reclaimSlot(tx, before, now);
  const policy = status === 'cancelled' ? await findPolicy(tx, before.type_id) : undefined;
  if (policy) refuseInsideNotice(call.caller, before, policy, now);
  // A request that the desk never confirmed is not late.
  const late_cancellation = policy !== undefined && !byClinic && before.status === 'confirmed' && isInsideNotice(before.starts_at, policy.notice_hours, now);
  const adopted = confirmsPerson(status) ? await adoptPatient(app, tx, call.caller, before, now, timezone) : undefined;
  const missed = noShowChange(before.status, status);
  const [after] = await Promise.all([
    setStatus(tx, before, { status, ...stampsOf(status, reason, now), late_cancellation }, now),
    isActive(before.status) && !isActive(status) && app.onSlotFreed(tx, clinic, before, now), // locks the doctor, so before the patient
  ]);
  await Promise.all([
    missed !== 0 && changeNoShowCount(tx, before.patient_id, missed, now),
    emit(tx, clinic.id, AppointmentStatusChangedSchema, {
      appointment: toState(after, timezone),
      previousStatus: before.status,
      byChat: !isOfClinic(call.caller),
      seriesPosition,
    }),
    audit(tx, clinic.id, call.caller, { action: 'appointment.status_changed', entityId: before.id, changes: { status: { from: before.status, to: status } } }),
  ]);
  return toProto({ ...after, ...adopted });
}

/**
 * Patients can move and cancel appointments themselves only until the notice of the cancellation policy begins. Throws INSIDE_CANCELLATION_NOTICE unless
 * a user or an integration key of the clinic acts.
 */
export function refuseInsideNotice(caller: Caller, { starts_at }: { starts_at: Date }, { notice_hours }: PolicyRow, now: Date): void {
  if (!isOfClinic(caller) && isInsideNotice(starts_at, notice_hours, now)) fail('INSIDE_CANCELLATION_NOTICE');
}

/**
 * Assigns an online request with an unproven phone to the patient who has the phone, or to a new one (resolveClaim). Undefined when the appointment
 * already has a patient.
 */
async function adoptPatient(app: App, tx: TenantTx, caller: Caller, before: EmbeddedRow, now: Date, timezone: string) {
  const { id, patient_id, doctor_id, requested_phone } = before;
  if (requested_phone === null) return undefined;
  await lockDay(tx, doctor_id); // onSlotFreed() takes this lock too, which must precede that of the patient
  const patient = await resolveClaim(app, tx, caller, patient_id, now);
  if (!patient) return undefined;
  if (patient.id !== patient_id) {
    const moved = await setPatient(tx, id, patient.id, now);
    // What other services have stored about the record, such as a treatment plan that was made before the desk confirmed the request, follows.
    await Promise.all([
      emit(tx, tx.clinicId, PatientsMergedSchema, { mergeId: v7(), keptId: patient.id, mergedId: patient_id }),
      emit(tx, tx.clinicId, AppointmentReassignedSchema, { appointment: toState(moved, timezone), previousPatientId: patient_id }),
    ]);
  }
  return { patient_name: patient.full_name, patient_phone: patient.phone, requested_phone: null, alerts: patient.alerts };
}
