// Every minute, publishes RecallMessageDue for each queued contact whose send time has come. Messaging sends the message.
import { asSystem } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { RecallMessageDueSchema } from '@clinic/proto/events/v1/recall_pb.js';
import type { App } from '../app.ts';
import { releaseDue } from './sql/recall-contacts.sql.ts';

export const releaseContactsJob = (app: App) =>
  job('release-recall', { cron: '* * * * *', limitSeconds: 600 }, async () => {
    await releaseContacts(app);
  });

const BATCH = 500;

/** Small transactions, so that a killed worker repeats at most one batch. Returns the number of contacts released. */
export async function releaseContacts(app: App): Promise<number> {
  let released = 0;
  for (let last = 1; last > 0; released += last) {
    // As the system: contacts of all clinics.
    last = await asSystem(app.db, async (tx) => {
      const due = await releaseDue(tx, app.clock.now(), BATCH);
      await Promise.all(
        due.map(({ clinic_id, id, campaign_id, patient_id }) =>
          emit(tx, clinic_id, RecallMessageDueSchema, { contactId: id, campaignId: campaign_id, patientId: patient_id }),
        ),
      );
      return due.length;
    });
  }
  return released;
}
