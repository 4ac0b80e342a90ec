// An appointment as scheduling stores it, with what a message about it needs.
import { toDate } from '@clinic/lib/formats/timestamp.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { App } from '../app.ts';

export type Appointment = NonNullable<Awaited<ReturnType<typeof findAppointment>>>;

/** Undefined if there is no such appointment. */
export async function findAppointment(app: App, clinicId: string, id: string) {
  const found = await ifFound(app.scheduling.lookup.findAppointmentWithContact({ id }, await app.clinics.callOptions(clinicId)));
  return found && { ...found, startsAt: toDate(found.startsAt) ?? app.clock.now() };
}
