// Deletes sent and dead mails at night. A sent mail is retained as long as the event that caused it may be delivered again, so that it is sent once.
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { INBOX_DAYS, inBatches } from '@clinic/lib/db/retention.ts';
import { timeOfUuid } from '@clinic/lib/formats/uuid.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeEnded } from './mails.sql.ts';

const DAY_MS = 86_400_000;
/** How long operators can replay a dead mail. */
const DEAD_DAYS = 400;
const FILE_DAYS = 30;

type Mails = Pick<App, 'db' | 'clock' | 'dataDir'>;

export const purgeMailsJob = (app: Mails) => job('purge-mails', { daily: { at: '03:55' } }, () => purgeMails(app));

export async function purgeMails({ db, clock, dataDir }: Mails): Promise<void> {
  const before = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);
  await inBatches(db, (tx, size) => purgeEnded(tx, before(INBOX_DAYS), before(DEAD_DAYS), size));
  await deleteFiles(path.join(dataDir, 'mail'), before(FILE_DAYS));
}

/** The time in the UUIDv7 of the mail, with which the names of its files begin. The clock of the file system may differ. */
const writtenAt = (name: string) => new Date(timeOfUuid(name.replace(/^\./, '')));

/** Deletes mails that were written to files because there is no mail server. */
async function deleteFiles(folder: string, before: Date): Promise<void> {
  if (!existsSync(folder)) return;
  for (const name of await readdir(folder)) if (writtenAt(name) < before) await rm(path.join(folder, name), { force: true });
}
