// Mails the admins the list of appointments that cannot begin at their local times after the clinic's time zone has changed.
import { formatLongDay } from '@clinic/lib/formats/day-text.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { allPages } from '@clinic/lib/rpc/all-pages.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { findTimeConflicts, listAppointments } from '../appointments/list-appointments.sql.ts';
import { findZone } from '../clinics/clinics.sql.ts';
import { MAIL_TIME_CONFLICTS } from './change-zone.ts';

const LISTED = 100;
const PAGE = 500;

/** `at` is the time of the change. */
type Change = { clinicId: string; at: string };

export const mailTimeConflictsJob = (app: App) => job<Change>(MAIL_TIME_CONFLICTS, {}, (change) => mailTimeConflicts(app, change));

async function mailTimeConflicts(app: App, { clinicId, at }: Change): Promise<void> {
  const zone = await findZone(app.db, clinicId);
  const ids = await findTimeConflicts(app.db, clinicId, zone, app.clock.now());
  const { rows, total } = await listAppointments(app.db, clinicId, { timeConflict: { wanted: true, ids } }, LISTED, 0, 'start');
  if (total === 0) return;
  const lines = rows.map(
    ({ appointment_date, start_time, doctor_name, patient_name }) =>
      `${formatLongDay(appointment_date, 'es')}, ${start_time.slice(0, 5)} · ${doctor_name} · ${patient_name}`,
  );
  if (total > rows.length) lines.push(`… y ${total - rows.length} más`);
  const reference = `${clinicId}:${at}`;
  const caller = serviceCaller('scheduling', reference);
  const { isActive, plan, country } = await app.access.resolveClinic({ clinicId }, callAs(caller));
  if (!isActive) return;
  const options = callAs({ ...caller, clinic: { id: clinicId, plan, timezone: zone, country } });
  for (const user of await listAdmins(app, options)) {
    const parameters = { name: user.fullName, zone, text: lines.join('\n') };
    await app.mail.sendMail({ kind: 'time_conflicts', to: user.email, parameters, reference: `${reference}:${user.id}` }, options);
  }
}

async function listAdmins(app: App, options: ReturnType<typeof callAs>) {
  const users = await allPages(PAGE, async (page) => {
    const { users: entries, total } = await app.users.listUsers(page, options);
    return { entries, total };
  });
  return users.filter(({ isActive, appRole }) => isActive && appRole === 'admin');
}
