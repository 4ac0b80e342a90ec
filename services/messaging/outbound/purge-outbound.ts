// Deletes messages that have ended, at night. The conversation retains its text and status. References are retained as long as the event that
// asked for the message may come again (INBOX_DAYS), so that it is sent once.
import { asSystem } from '@clinic/lib/db/db.ts';
import { INBOX_DAYS } from '@clinic/lib/db/retention.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeEnded } from './outbound.sql.ts';

const DAY_MS = 86_400_000;
/** The provider reports failures within minutes, which may have a message sent again. Later statuses concern the conversation alone. */
const DAYS = 3;
const BATCH_SIZE = 1_000;

export const purgeOutboundJob = (app: App) => job('purge-outbound', { daily: { at: '03:50', timezone: 'America/El_Salvador' } }, () => purgeOutbound(app));

export async function purgeOutbound(app: Pick<App, 'db' | 'clock'>): Promise<void> {
  const before = (days: number) => new Date(app.clock.now().getTime() - days * DAY_MS);
  // As the system: over all clinics.
  while ((await asSystem(app.db, (tx) => purgeEnded(tx, before(DAYS), before(INBOX_DAYS), BATCH_SIZE))) === BATCH_SIZE);
}
