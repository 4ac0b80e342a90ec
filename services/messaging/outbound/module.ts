// Everything that goes out by chat: stored by send(), sent by the sender, and what could not be sent.
import { watchQueues } from '@clinic/lib/jobs/queue-age.ts';
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { OutboundService } from '@clinic/proto/messaging/v1/outbound_pb.js';
import type { App } from '../app.ts';
import { listDeadLetters } from './list-dead-letters.ts';
import { queueStatement } from './outbound.sql.ts';
import type { Prepare } from './prepare.ts';
import { replayDeadLetter } from './replay-dead-letter.ts';
import { reply } from './reply.ts';
import { startSender } from './sender.ts';

/** `prepare` writes messages at the moment of sending, by kind. */
export const outbound = (prepare: Record<string, Prepare>): Module<App> => ({
  rpcs: [rpcs(OutboundService, { listDeadLetters, replayDeadLetter }), rpcs(ConversationService, { reply })],
  loops: (app) => [watchQueues(app, ['chat-outbound'], queueStatement), startSender(app, prepare)],
  personal: [{ table: 'outbound', ofPatient: 'phone = any($phones)', erase: 'delete' }],
});
