// What the platform's operators see of the chat channel: what could not be used, and what could not be delivered.
import { ChatEventService } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import { OutboundService } from '@clinic/proto/messaging/v1/outbound_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { limit, page, uuid } from './schemas.ts';

const one = { params: z.object({ id: uuid }) };

export const deadLetters: Area = {
  prefix: '/api/superadmin/dead-letters',
  tag: 'Dead letters',
  about: 'Messages and mails that were given up. Send X-Admin-Key.',
  routes: [
    {
      method: 'get',
      path: '/api/superadmin/dead-letters',
      rpc: OutboundService.method.listDeadLetters,
      access: 'superadmin',
      rate: 'api',
      summary: 'List dead letters',
      request: { query: z.object({ page, limit: limit() }) },
    },
    {
      method: 'post',
      path: '/api/superadmin/dead-letters/:id/replay',
      rpc: OutboundService.method.replayDeadLetter,
      access: 'superadmin',
      rate: 'api',
      summary: 'Try a dead letter again',
      request: one,
      notFound: 'Dead letter not found',
      errors: ['NOT_FOUND'],
    },
  ],
};

export const chatEvents: Area = {
  prefix: '/api/superadmin/webhook-events/chat',
  tag: 'Chat deliveries',
  about:
    'What the chat provider delivered by POST /webhooks/chat. What could not be used waits here, and can be replayed; what is for a number that no clinic has proven yet (unproven_number) is processed when one does, and counts as unusable after 7 days. Send X-Admin-Key.',
  routes: [
    {
      method: 'get',
      path: '/api/superadmin/webhook-events/chat',
      rpc: ChatEventService.method.listChatEvents,
      access: 'superadmin',
      rate: 'api',
      summary: 'List deliveries',
      request: { query: z.object({ status: z.enum(['received', 'done', 'unusable', 'unknown_number', 'unproven_number']).optional(), page, limit: limit() }) },
    },
    {
      method: 'post',
      path: '/api/superadmin/webhook-events/chat/:id/replay',
      rpc: ChatEventService.method.replayChatEvent,
      access: 'superadmin',
      rate: 'api',
      summary: 'Work on a delivery again',
      request: one,
      notFound: 'Event not found',
      errors: ['NOT_FOUND'],
    },
  ],
};
