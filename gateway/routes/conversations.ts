// Chats with patients.
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { limit, page, text, uuid } from './schemas.ts';

const { method } = ConversationService;

/** E.164, or the provider's id of a user who hides the phone. */
const phone = z
  .string()
  .regex(/^(\s?\+?[1-9]\d{4,14}|[A-Z]{2}\.[\w.-]{1,120})$/)
  .meta({ examples: ['+50371234567'] });
const one = { params: z.object({ phone }) };
const notFound = 'Conversation not found';
const unknown = { notFound, errors: ['NOT_FOUND' as const] };

const template = z.object({
  name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'must be small letters, digits and underscores'),
  language: z.string().regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'must be like es or es_MX'),
  variables: z.array(text(1024)).max(20).default([]),
});

export const conversations: Area = {
  prefix: '/api/conversations',
  tag: 'Conversations',
  about: 'Threads of the chat channel: read them, answer, take them from the bot and give them back.',
  routes: [
    {
      method: 'get',
      path: '/api/conversations',
      rpc: method.listConversations,
      access: 'user',
      rate: 'api',
      summary: 'List conversations',
      request: {
        query: z.object({ status: z.enum(['open', 'closed']).optional(), search: z.string().trim().max(200).default(''), page, limit: limit() }),
      },
    },
    {
      method: 'get',
      path: '/api/conversations/:phone/messages',
      rpc: method.listMessages,
      access: 'user',
      rate: 'api',
      summary: 'Read a conversation',
      request: { ...one, query: z.object({ before: uuid.optional(), limit: limit() }) },
      ...unknown,
    },
    {
      method: 'post',
      path: '/api/conversations/:phone/reply',
      rpc: method.reply,
      access: 'user',
      rate: 'api',
      summary: 'Answer a patient',
      request: { ...one, body: z.object({ message: z.string().max(4096).optional(), template: template.nullish() }) },
      status: 201,
      creates: true,
      notFound,
      errors: ['NOT_FOUND', 'CHAT_WINDOW_CLOSED', 'CHAT_RECIPIENT_UNKNOWN'],
      example: { message: 'Buenos días, con gusto le ayudamos.' },
    },
    {
      method: 'post',
      path: '/api/conversations/:phone/takeover',
      rpc: method.takeOver,
      access: 'user',
      rate: 'api',
      summary: 'Take a conversation',
      request: { ...one, body: z.object({ userId: uuid.nullish() }) },
      ...unknown,
      example: {},
    },
    {
      method: 'post',
      path: '/api/conversations/:phone/release',
      rpc: method.release,
      access: 'user',
      rate: 'api',
      summary: 'Give a conversation back to the bot',
      request: { ...one, body: z.object({ close: z.boolean().nullish() }) },
      ...unknown,
      example: { close: true },
    },
    {
      method: 'post',
      path: '/api/conversations/:phone/read',
      rpc: method.markRead,
      access: 'user',
      rate: 'api',
      summary: 'Mark a conversation as read',
      request: one,
      ...unknown,
    },
    {
      method: 'get',
      path: '/api/conversations/:phone/media/:id',
      rpc: method.getMedia,
      access: 'user',
      rate: 'api',
      summary: 'See a picture or document',
      request: { params: z.object({ phone, id: uuid }) },
      notFound: 'Media not found',
      errors: ['NOT_FOUND', 'CHAT_MEDIA_REFUSED', 'CHAT_PROVIDER_ERROR'],
    },
  ],
};
