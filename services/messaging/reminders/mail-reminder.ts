// A reminder as a mail, where the clinic has no chat or the patient no phone. The reference of the mail is that of the reminder, so that concurrent and
// repeated runs send it once.
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { App } from '../app.ts';
import { appointmentLine } from '../bot/rules/appointment-line.ts';
import { storeMail } from '../mail/store-mail.ts';
import { encodeReference } from '../outbound/reference-rules.ts';
import type { Appointment } from './plan-reminders.ts';
import { claimReminder, type ReminderRow, saveReminderState, toReference } from './reminders.sql.ts';

/** Without an address nothing is sent. */
export async function mailReminder(app: App, appointment: Appointment, reminder: ReminderRow): Promise<void> {
  const { clinic_id: clinicId, appointment_id: id, kind, revision } = reminder;
  const options = await app.clinics.callOptions(clinicId);
  const { fullName: name, reachableEmail } = await app.scheduling.lookup.findPatient({ id: appointment.patientId }, options);
  // Before the desk has confirmed a request, nobody is expected.
  const to = reachableEmail ?? (appointment.status === 'confirmed' ? appointment.bookingEmail : undefined);
  if (to) {
    const asksForForms = kind === 'day' && appointment.missingForms > 0;
    const [{ name: clinic }, { doctors, appointmentDate: date, startTime: time }, { link: manage }, forms] = await Promise.all([
      app.clinics.get(clinicId),
      app.scheduling.appointments.getAppointment({ id }, options),
      app.scheduling.manageLinks.getManageLink({ appointmentId: id }, options),
      asksForForms ? ifFound(app.scheduling.forms.requestAppointmentForms({ appointmentId: id }, options)) : undefined,
    ]);
    const line = appointmentLine({ doctorName: doctors?.fullName ?? '', date, time }, 'es');
    const parameters = { name, clinic, appointment: line, manage, ...(forms && { forms: forms.link }) };
    const mail = { kind: 'appointment_reminder', to, parameters, reference: encodeReference(toReference(reminder)) };
    // As the system: a mail belongs to no clinic.
    await asSystem(app.db, (tx) => storeMail(app, tx, mail));
  }
  await inTenant(app.db, clinicId, async (tx) => {
    const now = app.clock.now();
    const claimed = await claimReminder(tx, id, kind, now);
    if (claimed?.revision !== revision) return;
    const outcome = to ? ({ state: 'queued', reason: null, mailed_at: now } as const) : ({ state: 'none', reason: 'no_address' } as const);
    await saveReminderState(tx, { ...claimed, due_at: null, ...outcome }, now);
  });
}
