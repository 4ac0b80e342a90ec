// The day by mail, from seven in the morning of each clinic. One job takes down who is to get it, once a day; a job for
// each mail writes it from what is true then. Messaging sends it, and knows a repeat by its reference.

import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { addDays } from '@clinic/lib/formats/local-date.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { DateTime } from 'luxon';
import type { App } from '../app.ts';
import { DEFAULT_ZONE } from '../clinics/clinics.sql.ts';
import { forgetMails, isSubscribed, markDueMails } from './agenda.sql.ts';
import { agendaText } from './agenda-mail-text-rules.ts';
import { findReader } from './agenda-recipient.ts';
import { readAgenda } from './build-agenda.ts';

const BATCH = 200;
const KEPT_DAYS = 30;
const MAIL = 'mail-agenda';

type Named = { clinicId: string; userId: string; date: string };

export const markAgendasJob = (app: App) => job('mark-agendas', { cron: '*/5 * * * *' }, () => markAgendas(app));

export async function markAgendas(app: App): Promise<void> {
  const now = app.clock.now();
  while ((await markBatch(app, now)) === BATCH);
  // As the system: what all clinics were sent long ago.
  await asSystem(app.db, (tx) => forgetMails(tx, addDays(now.toISOString().slice(0, 10), -KEPT_DAYS)));
}

function markBatch(app: App, now: Date): Promise<number> {
  // As the system: the morning comes over all clinics.
  return asSystem(app.db, async (tx) => {
    const due = await markDueMails(tx, DEFAULT_ZONE, now, BATCH);
    for (const { clinic_id, user_id, date } of due) await enqueue(tx, MAIL, { clinicId: clinic_id, userId: user_id, date } satisfies Named);
    return due.length;
  });
}

export const mailAgendaJob = (app: App) => job<Named>(MAIL, { concurrency: 2 }, (mail) => mailAgenda(app, mail));

export async function mailAgenda(app: App, { clinicId, userId, date }: Named): Promise<void> {
  const reference = `${userId}:${date}`;
  const reader = await findReader(app, clinicId, userId, reference);
  if (!reader) return;
  const { user, clinic, caller } = reader;
  const agenda = await inTenant(app.db, clinicId, async (tx) => ((await isSubscribed(tx, userId)) ? readAgenda(tx, clinic.timezone, date, null) : undefined));
  if (!agenda) return;
  const text = agendaText({
    doctors: agenda.doctors.map(({ fullName, onVacation, visits, gaps }) => ({
      fullName,
      onVacation,
      gaps,
      visits: visits.map(({ startTime, endTime, status, patients }) => ({ startTime, endTime, status, patient: patients.fullName })),
    })),
  });
  const parameters = { name: user.fullName, date: DateTime.fromISO(date).setLocale('es').toFormat("cccc d 'de' LLLL"), text };
  await app.mail.sendMail({ kind: 'agenda', to: user.email, parameters, reference }, callAs(caller));
}
