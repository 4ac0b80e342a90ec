// The sender of outbound messages as a separate process, which a test kills.
import { createSignal } from '@clinic/lib/background/signal.ts';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { openDb } from '@clinic/lib/db/db.ts';
import { databaseUrls } from '@clinic/lib/db/migrate.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { testRing } from '@clinic/lib/testing/settings.ts';
import type { App } from '../app.ts';
import { createChatProvider } from '../channel/chat-provider.ts';
import type { Prepares } from '../outbound/prepare.ts';
import { startSender } from '../outbound/sender.ts';
import { watchWork } from '../outbound/watch-work.ts';

const [, , ownerUrl = '', providerUrl = ''] = process.argv;
const log = createLog('test', 'silent');
const db = openDb(databaseUrls(ownerUrl, 'messaging'), { schema: 'messaging', max: 20, log });
const app = { db, clock: systemClock, log, keys: testRing, chat: createChatProvider(providerUrl, 'v25.0'), toSend: createSignal() };
startSender(app as unknown as App, {} as Prepares);
watchWork(app as unknown as App);
