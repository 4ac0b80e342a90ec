// A nightly recall run as a process of its own, which a test kills while it runs.

import { manualClock } from '@clinic/lib/clock/clock.ts';
import { openDb } from '@clinic/lib/db/db.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { runCampaigns } from '../recall/queue-contacts.ts';

const [, , url = '', now = ''] = process.argv;
const log = createLog('test', 'silent');
const db = openDb({ url, schema: 'dental', max: 2, log });
await runCampaigns({ db, log, clock: manualClock(new Date(now)) });
await db.pool.end();
