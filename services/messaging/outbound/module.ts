// Outgoing chat messages: storage, sending, statuses and dead letters.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { OutboundService } from '@clinic/proto/messaging/v1/outbound_pb.js';
import { StateService } from '@clinic/proto/messaging/v1/states_pb.js';
import type { App } from '../app.ts';
import { listDeadLetters, replayDeadLetter } from './dead-letters.ts';
import { listOperatorActions } from './list-operator-actions.ts';
import { watchOutbound } from './outbound.sql.ts';
import type { Prepares } from './prepare.ts';
import { purgeOutboundJob } from './purge-outbound.ts';
import { recordOptOutJob } from './record-opt-out.ts';
import { reply } from './reply.ts';
import { startSender } from './sender.ts';
import { watchWork } from './watch-work.ts';

/** `prepares` compose the messages of sendLater(). */
export const outbound = (prepares: Prepares): Module<App> => ({
  rpcs: [rpcs(OutboundService, { listDeadLetters, replayDeadLetter }), rpcs(StateService, { listOperatorActions }), rpcs(ConversationService, { reply })],
  jobs: (app) => [purgeOutboundJob(app), recordOptOutJob(app)],
  loops: (app) => [watchOutbound(app), watchWork(app), startSender(app, prepares)],
  personal: [
    { table: 'outbound', ofPatient: 'phone = any($phones)', erase: 'delete' },
    { table: 'sends', ofPatient: 'phone = any($phones)', erase: 'delete' },
    { table: 'recent_claims' },
  ],
});
