// The daily agenda by mail, from 07:00 of each clinic. One job records which mails are due, each once; a job per mail composes it from
// the current state. Messaging sends it, and ignores a repeated mail by its reference.
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { addDays, DEFAULT_ZONE } from '@clinic/lib/formats/local-date.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { DateTime } from 'luxon';
import type { App } from '../app.ts';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { findRecipient } from '../clinics/mail-recipient.ts';
import { deleteMails, insertDueMails, isSubscribed } from './agenda.sql.ts';
import { agendaText } from './agenda-mail-text-rules.ts';
import { buildAgenda } from './get-agenda.ts';

const BATCH = 200;
const RETENTION_DAYS = 30;
const MAIL_AGENDA = 'mail-agenda';

type Mail = { clinicId: string; userId: string; date: string };

export const markAgendasJob = (app: App) => job('mark-agendas', { cron: '*/5 * * * *' }, () => markAgendas(app));

export async function markAgendas(app: App): Promise<void> {
  const now = app.clock.now();
  while ((await markBatch(app, now)) === BATCH);
  // As the system: mails of all clinics.
  await asSystem(app.db, (tx) => deleteMails(tx, addDays(now.toISOString().slice(0, 10), -RETENTION_DAYS)));
}

function markBatch(app: App, now: Date): Promise<number> {
  // As the system: subscriptions of all clinics.
  return asSystem(app.db, async (tx) => {
    const due = await insertDueMails(tx, DEFAULT_ZONE, now, BATCH);
    for (const { clinic_id, user_id, date } of due) await enqueue(tx, MAIL_AGENDA, { clinicId: clinic_id, userId: user_id, date } satisfies Mail);
    return due.length;
  });
}

export const mailAgendaJob = (app: App) => job<Mail>(MAIL_AGENDA, { concurrency: 2 }, (mail) => mailAgenda(app, mail));

async function mailAgenda(app: App, { clinicId, userId, date }: Mail): Promise<void> {
  const reference = `${userId}:${date}`;
  const recipient = await findRecipient(app, { clinicId, userId, feature: 'daily_agenda' }, reference);
  if (!recipient) return;
  const { user, clinic, caller } = recipient;
  const agenda = await inTenant(app.db, clinicId, async (tx) =>
    (await isSubscribed(tx, userId)) ? buildAgenda(tx, await findZoneIn(tx, clinicId, clinic.timezone), date, null) : undefined,
  );
  if (!agenda?.doctors.some(({ hours, visits }) => hours.length > 0 || visits.length > 0)) return; // plain-words: visits is public JSON
  const text = agendaText({
    // plain-words: visits is public JSON
    doctors: agenda.doctors.map(({ fullName, onVacation, visits: appointments, gaps }) => ({
      fullName,
      onVacation,
      gaps,
      appointments: appointments.map(({ startTime, endTime, status, patients }) => ({ startTime, endTime, status, patient: patients.fullName })),
    })),
  });
  const parameters = { name: user.fullName, date: DateTime.fromISO(date).setLocale('es').toFormat("cccc d 'de' LLLL"), text };
  await app.mail.sendMail({ kind: 'agenda', to: user.email, parameters, reference }, callAs(caller));
}
