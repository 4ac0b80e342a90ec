// Deletes outbound rows of messages that have ended, at night. The conversation retains text and status. Rows with a reference are retained as
// long as the event that caused the message may be delivered again (INBOX_DAYS), so that the message is sent only once.
import { INBOX_DAYS, inBatches } from '@clinic/lib/db/retention.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeEnded } from './outbound.sql.ts';

const DAY_MS = 86_400_000;
/** The provider reports failures, after which a message may be sent again, within minutes. Later statuses only change the conversation. */
const DAYS = 3;

export const purgeOutboundJob = (app: App) => job('purge-outbound', { daily: { at: '03:50' } }, () => purgeOutbound(app));

export async function purgeOutbound(app: Pick<App, 'db' | 'clock'>): Promise<void> {
  const before = (days: number) => new Date(app.clock.now().getTime() - days * DAY_MS);
  await inBatches(app.db, (tx, size) => purgeEnded(tx, before(DAYS), before(INBOX_DAYS), size));
}
