// Reminders and notices of visits, written at the moment of sending from what is true then.
import { inTenant } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { type AppointmentTime, appointmentLine } from '../bot/rules/appointment-line.ts';
import { encodeButtonId } from '../bot/rules/button-ids.ts';
import type { Prepare } from '../outbound/prepare.ts';
import { composeMessage, findRecipient } from './compose-message.ts';
import { findAppointment, isActive } from './plan-reminders.ts';
import { findReminder, isSuperseded } from './reminders.sql.ts';

/** The visit with its names, and whom to tell of it; undefined when there is nobody. */
async function findDetails(app: App, clinicId: string, id: string) {
  const visit = await findAppointment(app, clinicId, id);
  if (!visit) return undefined;
  const [to, shown] = await Promise.all([
    findRecipient(app, clinicId, visit.patientId),
    app.scheduling.appointments.getAppointment({ id }, await app.clinics.callOptions(clinicId)),
  ]);
  const when: AppointmentTime = { doctorName: shown.doctors?.fullName ?? '', date: shown.appointmentDate, time: shown.startTime };
  return to && { visit, to, cita: appointmentLine(when, to.language) };
}

export const prepareReminder: Prepare<'appointment_reminder'> = async (app, clinicId, { appointmentId: id, reminder, revision }) => {
  const read = await findDetails(app, clinicId, id);
  if (!read) return { drop: 'no_phone' };
  const { visit, to, cita } = read;
  if (!isActive(visit.status)) return { drop: 'visit_over' };
  if (visit.startsAt <= app.clock.now()) return { drop: 'too_late' };
  if (!(await isStillPlanned(app, clinicId, id, reminder, revision, visit.startsAt))) return { drop: 'visit_moved' };
  const text = to.say(reminder === 'day' ? 'reminder_day' : 'reminder_hours', { nombre: to.name, cita });
  const buttons = [
    { id: encodeButtonId({ kind: 'appointment', action: 'confirm', appointmentId: id }), title: to.say('confirm_appointment') },
    { id: encodeButtonId({ kind: 'appointment', action: 'drop', appointmentId: id }), title: to.say('cancel_appointment') },
  ];
  return composeMessage(to, cita, { template: 'appointment_reminder', text, buttons });
};

/** Whether the reminder was planned for the time at which the visit is now. */
async function isStillPlanned(app: App, clinicId: string, id: string, reminder: string, revision: string, startsAt: Date): Promise<boolean> {
  const planned = await inTenant(app.db, clinicId, (tx) => findReminder(tx, id, reminder));
  return String(planned?.revision) === revision && planned?.starts_at.getTime() === startsAt.getTime();
}

export const prepareNotice: Prepare<'appointment_notice'> = async (app, clinicId, notice) => {
  const { appointmentId: id, change } = notice;
  const [read, superseded] = await Promise.all([findDetails(app, clinicId, id), inTenant(app.db, clinicId, (tx) => isSuperseded(tx, notice))]);
  if (!read) return { drop: 'no_phone' };
  if (superseded) return { drop: 'superseded' };
  const { visit, to, cita } = read;
  if (isActive(visit.status) === (change === 'cancelled')) return { drop: 'changed_again' };
  const values = { nombre: to.name, cita };
  if (change === 'cancelled') {
    const buttons = [{ id: encodeButtonId({ kind: 'do_book' }), title: to.say('do_book') }];
    return composeMessage(to, cita, { template: 'appointment_cancelled', text: to.say('notice_cancelled', values), buttons });
  }
  const buttons = [
    { id: encodeButtonId({ kind: 'appointment', action: 'confirm', appointmentId: id }), title: to.say('confirm_appointment') },
    { id: encodeButtonId({ kind: 'appointment', action: 'move', appointmentId: id }), title: to.say('move_appointment') },
    { id: encodeButtonId({ kind: 'appointment', action: 'drop', appointmentId: id }), title: to.say('cancel_appointment') },
  ];
  return change === 'moved'
    ? composeMessage(to, cita, { template: 'appointment_moved', text: to.say('notice_moved', values), buttons })
    : composeMessage(to, cita, { template: 'appointment_restored', text: to.say('notice_restored', values), buttons });
};
