import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { limit, maybe, pages, search, text, uuid } from './schemas.ts';

const { method } = ConversationService;

/** E.164, or the chat provider's id of a user who hides the phone number. */
const phone = z
  .string()
  .regex(/^(\s?\+?[1-9]\d{4,14}|[A-Z]{2}\.[\w.-]{1,120})$/)
  .meta({ examples: ['+50371234567'] });

const template = z.object({
  name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'must consist of lower case letters, digits and underscores'),
  language: z.string().regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'must be like es or es_MX'),
  variables: z.array(text(1024)).max(20).nullable().default([]),
});

export const conversations = area({
  prefix: '/api/conversations',
  tag: 'Conversations',
  about: 'Chat conversations with patients: read them, reply, take them over from the bot and return them to it.',
  all: { scope: 'conversations', params: { phone }, notFound: 'Conversation not found' },
  routes: [
    {
      method: 'get',
      path: '/api/conversations',
      rpc: method.listConversations,
      query: { status: z.enum(['open', 'closed']).optional(), search: search(200), ...pages },
    },
    { method: 'get', path: '/api/conversations/:phone/messages', rpc: method.listMessages, query: { before: uuid.optional(), limit: limit() } },
    {
      method: 'post',
      path: '/api/conversations/:phone/reply',
      rpc: method.reply,
      body: { message: maybe(z.string().max(4096)), template: template.nullish() },
      creates: true,
      errors: ['CHAT_NOT_CONNECTED', 'CHAT_WINDOW_CLOSED', 'CHAT_RECIPIENT_UNKNOWN'],
      example: { message: 'Buenos días, con gusto le ayudamos.' },
    },
    { method: 'post', path: '/api/conversations/:phone/takeover', rpc: method.takeOver, body: { userId: maybe(uuid) }, example: {} },
    { method: 'post', path: '/api/conversations/:phone/release', rpc: method.release, body: { close: z.boolean().nullish() }, example: { close: true } },
    { method: 'post', path: '/api/conversations/:phone/read', rpc: method.markRead },
    {
      method: 'get',
      path: '/api/conversations/:phone/media/:id',
      rpc: method.getMedia,
      summary: 'Get the media of a message',
      notFound: 'Media not found',
      errors: ['CHAT_MEDIA_REFUSED', 'CHAT_PROVIDER_ERROR'],
    },
  ],
});
