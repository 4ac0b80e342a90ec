// A nightly recall run as a process of its own, which a test kills while it runs.

import { closeDb, openDb } from '@clinic/lib/db/db.ts';
import { databaseUrls } from '@clinic/lib/db/migrate.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { runCampaigns } from '../recall/queue-contacts.ts';

const [, , ownerUrl = '', now = ''] = process.argv;
const log = createLog('test', 'silent');
const db = openDb(databaseUrls(ownerUrl, 'dental'), { schema: 'dental', max: 2, log });
await runCampaigns({ db, log, clock: manualClock(new Date(now)) });
await closeDb(db);
