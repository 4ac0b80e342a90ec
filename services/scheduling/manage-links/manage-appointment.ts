// The holder of a manage link sees, confirms, moves and cancels the appointment, within the cancellation policy.
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseClockTime } from '@clinic/lib/formats/clock-time.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type {
  CancelManagedAppointmentRequest,
  ConfirmManagedAppointmentRequest,
  GetManagedAppointmentRequest,
  MoveManagedAppointmentRequest,
} from '@clinic/proto/scheduling/v1/manage_link_pb.js';
import type { App } from '../app.ts';
import type { EmbeddedRow } from '../appointments/appointment-row.ts';
import { findAppointmentIn, lockAppointment } from '../appointments/appointments.sql.ts';
import { confirmByPatient } from '../appointments/record-patient-confirmation.ts';
import { moveBooking } from '../appointments/reschedule-appointment.ts';
import { changeStatus } from '../appointments/update-appointment-status.ts';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { isChangeable, isTooLate } from './manage-rules.ts';
import { openLink, openLinkToChange, type View, viewOf } from './open-link.ts';

export async function getManagedAppointment(app: App, { token }: GetManagedAppointmentRequest, call: Call) {
  const opened = await openLink(app, token, call);
  return inTenant(app.db, clinicOf(opened.call).id, async (tx) =>
    viewOf(tx, opened, found(await findAppointmentIn(tx, opened.id), 'Appointment'), app.clock.now()),
  );
}

export function moveManagedAppointment(app: App, { token, ...wanted }: MoveManagedAppointmentRequest, call: Call) {
  const date = parseLocalDate('date', wanted.date);
  const startTime = parseClockTime('startTime', wanted.startTime);
  const isMoved = (view: View) => view.date === date && view.startTime === startTime;
  return change(app, token, call, isMoved, (tx, own, before) => {
    const target = { doctorId: before.doctor_id, date, startTime, outsideHours: false, durationMinutes: null, resourceId: null };
    return moveBooking(app, tx, own, before, target);
  });
}

/** Possible inside the notice too, since the appointment stays as it is. */
export async function confirmManagedAppointment(app: App, { token, date, startTime }: ConfirmManagedAppointmentRequest, call: Call) {
  const opened = await openLinkToChange(app, token, call);
  return inTenant(app.db, clinicOf(opened.call).id, async (tx) => {
    const now = app.clock.now();
    const before = found(await lockAppointment(tx, opened.id), 'Appointment');
    if (before.status !== 'confirmed' || before.ends_at <= now) fail('APPOINTMENT_NOT_ACTIVE');
    const isSeen = before.appointment_date === date && before.start_time.slice(0, 5) === startTime;
    return viewOf(tx, opened, isSeen ? await confirmByPatient(app, tx, opened.call, before) : before, now);
  });
}

export function cancelManagedAppointment(app: App, { token }: CancelManagedAppointmentRequest, call: Call) {
  const isCancelled = (view: View) => view.status === 'cancelled';
  return change(app, token, call, isCancelled, async (tx, own, before) =>
    changeStatus(app, tx, own, before, { status: 'cancelled', reason: null, byClinic: false }, await findZoneIn(tx, tx.clinicId)),
  );
}

/** Changes the appointment unless it already is as requested. Throws INSIDE_CANCELLATION_NOTICE, or APPOINTMENT_NOT_ACTIVE for one that is over or cancelled. */
async function change(
  app: App,
  token: string,
  call: Call,
  isDone: (view: View) => boolean,
  work: (tx: TenantTx, own: Call, before: EmbeddedRow) => Promise<unknown>,
): Promise<View> {
  const opened = await openLinkToChange(app, token, call);
  return inTenant(app.db, clinicOf(opened.call).id, async (tx) => {
    const now = app.clock.now();
    const before = found(await lockAppointment(tx, opened.id), 'Appointment');
    const view = await viewOf(tx, opened, before, now);
    if (isDone(view)) return view;
    if (!isChangeable(view.status)) fail(isTooLate(view.status) ? 'INSIDE_CANCELLATION_NOTICE' : 'APPOINTMENT_NOT_ACTIVE');
    await work(tx, opened.call, before);
    return viewOf(tx, opened, found(await findAppointmentIn(tx, opened.id), 'Appointment'), now);
  });
}
