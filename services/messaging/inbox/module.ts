// Deliveries of the chat provider: storage, conversion into messages and statuses, and the turns of the bot.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { startUsageReports } from '@clinic/lib/usage/usage.ts';
import { ChatEventService } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import type { App } from '../app.ts';
import { respond } from '../bot/respond.ts';
import { watchChatEvents } from './chat-events.sql.ts';
import { listChatEvents, receiveChatEvent, replayChatEvent } from './chat-events.ts';
import { purgeDeliveriesJob, setAsideDeliveriesJob } from './delivery-retention.ts';
import { deliveryContext } from './delivery-store.ts';
import { startInboxWorker } from './process-deliveries.ts';
import { startTurnWorker } from './turn-worker.ts';
import { watchTurns } from './turns.sql.ts';

export const inbox: Module<App> = {
  rpcs: [rpcs(ChatEventService, { receiveChatEvent, listChatEvents, replayChatEvent })],
  jobs: (app) => [setAsideDeliveriesJob(app), purgeDeliveriesJob(app)],
  loops: (app) => [
    startUsageReports({ reports: app.identity.usage, name: 'messaging', log: app.log }),
    app.deliveryStore,
    watchChatEvents(app),
    watchTurns(app),
    startTurnWorker(app, respond),
    startInboxWorker(app),
  ],
  personal: [
    {
      table: 'chat_events',
      search: 'body_sealed',
      decode: (decrypted) => Buffer.from(decrypted, 'base64').toString(),
      ofClinic: null,
      why: 'deliveries name no clinic: they are deleted when they have been processed; those that could not be are retained, encrypted, for 400 days',
    },
  ],
  encrypted: [{ table: 'chat_events', key: ['seq'], reads: ['id'], column: 'body_sealed', context: ({ id }) => deliveryContext(id) }],
};
