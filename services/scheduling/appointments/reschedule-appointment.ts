// Moves an appointment to another slot. Locks are taken in the same order everywhere: appointment, then doctor.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { audit, isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseClockTime } from '@clinic/lib/formats/clock-time.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { isOfClinic } from '@clinic/lib/rpc/caller.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AppointmentRescheduledSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { RescheduleAppointmentRequest } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { App } from '../app.ts';
import { findOfferedTypeIn } from '../appointment-types/appointment-types.sql.ts';
import { claimSlot } from '../slots/claim-slot.ts';
import { lockDay } from '../slots/doctor-day.sql.ts';
import { findMovedNeedsIn } from '../slots/moved-needs.sql.ts';
import { parseNeeds } from '../slots/slot-needs.ts';
import { type AppointmentRow, type EmbeddedRow, toProto, toState } from './appointment-row.ts';
import { findRefs, lockAppointment } from './appointments.sql.ts';
import { findPolicy } from './cancellation-policy.sql.ts';
import { moveAppointment } from './change-appointment.sql.ts';
import { isActive } from './status-rules.ts';
import { refuseInsideNotice } from './update-appointment-status.ts';

export async function rescheduleAppointment(app: App, request: RescheduleAppointmentRequest, call: Call) {
  const date = parseLocalDate('appointmentDate', request.appointmentDate);
  const startTime = parseClockTime('startTime', request.startTime);
  const doctorId = request.doctorId === undefined ? undefined : parseUuid('doctorId', request.doctorId);
  const requested = parseNeeds(request);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockAppointment(tx, request.id), 'Appointment');
    if (!isActive(before.status)) fail('APPOINTMENT_NOT_ACTIVE');
    return moveBooking(app, tx, call, before, { doctorId: doctorId ?? before.doctor_id, date, startTime, outsideHours: request.outsideHours, ...requested });
  });
}

type Target = { doctorId: string; date: string; startTime: string; outsideHours: boolean; durationMinutes: number | null; resourceId: string | null };

export type Moved = MessageInitShape<typeof AppointmentRescheduledSchema>;

/**
 * Moves a locked, active appointment. Throws as claimSlot() does, before anything is written. `finish` receives the event; by default it is published,
 * and the previous slot is offered to the waitlist. A move to the slot that it already has changes nothing and publishes nothing.
 */
export async function moveBooking(
  app: App,
  tx: TenantTx,
  call: Call,
  before: EmbeddedRow,
  target: Target,
  finish = async (event: Moved): Promise<void> => {
    await emit(tx, tx.clinicId, AppointmentRescheduledSchema, event);
    await app.onSlotFreed(tx, clinicOf(call), before, app.clock.now());
  },
) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const { doctorId, ...requested } = target;
  refuseInsideNotice(call.caller, before, await findPolicy(tx, before.type_id), now);
  // Both calendars in one statement, in the order of the doctors' ids: onSlotFreed() below needs that of the previous doctor.
  if (doctorId !== before.doctor_id) await lockDay(tx, doctorId, before.doctor_id);
  const isTypeNeeded = doctorId !== before.doctor_id || requested.resourceId !== null;
  const type = before.type_id && isTypeNeeded ? await findOfferedTypeIn(tx, before.type_id, doctorId) : undefined;
  if (type && !type.offered && doctorId !== before.doctor_id) invalid('doctorId', 'does not offer the type of the appointment');
  const needs = {
    typeId: before.type_id,
    durationMinutes: requested.durationMinutes ?? before.duration_minutes,
    resourceId: requested.resourceId,
    // A requested resource must be of the kind that the type needs, if any.
    resourceKind: (requested.resourceId === null ? (await findMovedNeedsIn(tx, before.id))?.resource_kind : type?.resource_kind) ?? null,
  };
  const wanted = { ...requested, doctorId, needs, preferredResourceId: before.resource_id };
  const { doctor, slot, resourceId } = await claimSlot(tx, clinic, wanted, now, { appointmentId: before.id });
  const held = {
    starts_at: new Date(slot.start),
    busy_until: new Date(slot.hold.end),
    duration_minutes: needs.durationMinutes,
    resource_id: resourceId,
  };
  if (isAt(before, target) && isUnchanged(before, held)) return toProto(before);
  const place = { doctor_id: doctorId, appointment_date: wanted.date, start_time: slot.startTime, end_time: slot.endTime, ...held };
  const after = await moveAppointment(tx, before.id, place, now);
  const moved = { ...before, ...after, ...(await findRefs(tx, after)), doctor_name: doctor.full_name, doctor_specialty: doctor.specialty };
  await Promise.all([
    finish({
      appointment: toState(after, doctor.timezone),
      previousDate: before.appointment_date,
      previousStartsAt: timestampFromDate(before.starts_at),
      previousDoctorId: before.doctor_id,
      byChat: !isOfClinic(call.caller),
    }),
    audit(tx, clinic.id, call.caller, { action: 'appointment.rescheduled', entityId: before.id, changes: maskChanges(slotOf(before), slotOf(after), []) }),
  ]);
  return toProto(moved);
}

/** Whether the appointment is with the doctor and begins at the local time. */
export const isAt = (appointment: EmbeddedRow, { doctorId, date, startTime }: Pick<Target, 'doctorId' | 'date' | 'startTime'>) =>
  appointment.doctor_id === doctorId && appointment.appointment_date === date && appointment.start_time.startsWith(startTime);

const SLOT = ['doctor_id', 'appointment_date', 'start_time', 'end_time', 'resource_id'] as const;
const slotOf = (appointment: AppointmentRow) => Object.fromEntries(SLOT.map((field) => [field, appointment[field]]));
