import { ChatEventService } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import { OutboundService } from '@clinic/proto/messaging/v1/outbound_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { pages } from './schemas.ts';

export const deadLetters = area({
  prefix: '/api/superadmin/dead-letters',
  tag: 'Dead letters',
  about:
    'Messages and mails that could not be sent after all retries (state=dead), and those that failed and will be retried (state=retrying). Send X-Admin-Key.',
  all: { scope: 'none' },
  routes: [
    {
      method: 'get',
      path: '/api/superadmin/dead-letters',
      rpc: OutboundService.method.listDeadLetters,
      summary: 'List dead letters',
      query: { state: z.enum(['dead', 'retrying']).default('dead'), ...pages },
    },
    {
      method: 'post',
      path: '/api/superadmin/dead-letters/:id/replay',
      rpc: OutboundService.method.replayDeadLetter,
      summary: 'Replay a dead letter',
      notFound: 'Dead letter not found',
    },
  ],
});

export const chatEvents = area({
  prefix: '/api/superadmin/webhook-events/chat',
  tag: 'Chat deliveries',
  about:
    'Deliveries of the chat provider to POST /webhooks/chat. Deliveries that could not be processed are stored and can be replayed. A delivery to a number that no clinic has proven to own yet (unproven_number) is processed as soon as one does; after 7 days it is unusable. Send X-Admin-Key.',
  all: { scope: 'none' },
  routes: [
    {
      method: 'get',
      path: '/api/superadmin/webhook-events/chat',
      rpc: ChatEventService.method.listChatEvents,
      summary: 'List chat deliveries',
      query: { status: z.enum(['received', 'done', 'unusable', 'unknown_number', 'unproven_number']).optional(), ...pages },
    },
    {
      method: 'post',
      path: '/api/superadmin/webhook-events/chat/:id/replay',
      rpc: ChatEventService.method.replayChatEvent,
      summary: 'Replay a chat delivery',
      notFound: 'Event not found',
    },
  ],
});
