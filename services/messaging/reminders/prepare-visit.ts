// Reminders and notices of visits, written at the moment of sending from what is true then.
import { inTenant } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { visitLine, type When } from '../bot/rules/appointment-line.ts';
import type { Prepare } from '../outbound/prepare.ts';
import { findVisit, isActive } from './follow-visit.ts';
import { findReminder, isSuperseded } from './reminders.sql.ts';
import { messageTo, speakTo } from './speak-to.ts';

/** The visit with its names, and whom to tell of it; undefined when there is nobody. */
async function readVisit(app: App, clinicId: string, id: string) {
  const visit = await findVisit(app, clinicId, id);
  if (!visit) return undefined;
  const [to, shown] = await Promise.all([
    speakTo(app, clinicId, visit.patientId),
    app.scheduling.appointments.getAppointment({ id }, await app.clinics.acting(clinicId)),
  ]);
  const when: When = { doctorName: shown.doctors?.fullName ?? '', date: shown.appointmentDate, time: shown.startTime };
  return to && { visit, to, cita: visitLine(when, to.language) };
}

export const prepareReminder: Prepare = async (app, { clinic_id, reference }) => {
  const [id = '', kind, revision] = (reference ?? '').split('/');
  const read = await readVisit(app, clinic_id, id);
  if (!read) return { drop: 'no_phone' };
  const { visit, to, cita } = read;
  if (!isActive(visit.status)) return { drop: 'visit_over' };
  if (visit.startsAt <= app.clock.now()) return { drop: 'too_late' };
  if (!(await isStillMeant(app, clinic_id, id, kind ?? '', Number(revision), visit.startsAt))) return { drop: 'visit_moved' };
  const text = to.say(kind === 'day' ? 'reminder_day' : 'reminder_hours', { nombre: to.name, cita });
  const buttons = [
    { id: `visit|confirm|${id}`, title: to.say('confirm_visit') },
    { id: `visit|drop|${id}`, title: to.say('cancel_visit') },
  ];
  return messageTo(to, cita, { template: 'appointment_reminder', text, buttons });
};

/** Whether the reminder was planned for the time at which the visit is now. */
async function isStillMeant(app: App, clinicId: string, id: string, kind: string, revision: number, startsAt: Date): Promise<boolean> {
  const planned = await inTenant(app.db, clinicId, (tx) => findReminder(tx, id, kind));
  return planned?.revision === revision && planned.starts_at.getTime() === startsAt.getTime();
}

export const prepareNotice: Prepare = async (app, { clinic_id, reference }) => {
  const [id = '', , change] = (reference ?? '').split('/');
  const [read, superseded] = await Promise.all([readVisit(app, clinic_id, id), inTenant(app.db, clinic_id, (tx) => isSuperseded(tx, reference ?? ''))]);
  if (!read) return { drop: 'no_phone' };
  if (superseded) return { drop: 'superseded' };
  const { visit, to, cita } = read;
  if (isActive(visit.status) === (change === 'cancelled')) return { drop: 'changed_again' };
  const values = { nombre: to.name, cita };
  if (change === 'cancelled') {
    const buttons = [{ id: 'do_book', title: to.say('do_book') }];
    return messageTo(to, cita, { template: 'appointment_cancelled', text: to.say('notice_cancelled', values), buttons });
  }
  const buttons = [
    { id: `visit|confirm|${id}`, title: to.say('confirm_visit') },
    { id: `visit|move|${id}`, title: to.say('move_visit') },
    { id: `visit|drop|${id}`, title: to.say('cancel_visit') },
  ];
  return change === 'moved'
    ? messageTo(to, cita, { template: 'appointment_moved', text: to.say('notice_moved', values), buttons })
    : messageTo(to, cita, { template: 'appointment_restored', text: to.say('notice_restored', values), buttons });
};
