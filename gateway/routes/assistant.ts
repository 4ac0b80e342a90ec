import { AssistantService } from '@clinic/proto/messaging/v1/assistant_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { date, maybe, pages, text, uuid } from './schemas.ts';

const { method } = AssistantService;

export const assistant = area({
  prefix: '/api/assistant',
  tag: 'Assistant',
  about: 'The briefing of a day, and questions about the clinic in natural language.',
  all: { scope: 'none', feature: 'assistant', notFound: 'Proposal not found' },
  routes: [
    { method: 'get', path: '/api/assistant/briefing', rpc: method.getBriefing, query: { date: date.optional() } },
    {
      method: 'post',
      path: '/api/assistant/chat',
      rpc: method.chat,
      body: { message: text(4000), conversationId: maybe(uuid) },
      notFound: 'Conversation not found',
      example: { message: '¿Qué citas hay mañana?' },
    },
    {
      method: 'post',
      path: '/api/assistant/actions/:id/confirm',
      rpc: method.confirmAction,
      summary: 'Confirm a proposed action',
      errors: [
        'ASSISTANT_ACTION_CLOSED',
        'SLOT_TAKEN',
        'SLOT_UNAVAILABLE',
        'APPOINTMENT_NOT_ACTIVE',
        'CONFLICT',
        'CHAT_NOT_CONNECTED',
        'CHAT_WINDOW_CLOSED',
        'CHAT_RECIPIENT_UNKNOWN',
      ],
    },
    {
      method: 'post',
      path: '/api/assistant/actions/:id/reject',
      rpc: method.rejectAction,
      summary: 'Reject a proposed action',
      errors: ['ASSISTANT_ACTION_CLOSED'],
    },
    { method: 'get', path: '/api/assistant/conversations', rpc: method.listAssistantConversations, query: { ...pages } },
    {
      method: 'get',
      path: '/api/assistant/conversations/:id',
      rpc: method.getAssistantConversation,
      summary: 'Get a conversation with the assistant',
      notFound: 'Conversation not found',
    },
    { method: 'get', path: '/api/assistant/settings', rpc: method.getAssistantSettings, summary: 'Get the assistant settings' },
    {
      method: 'patch',
      path: '/api/assistant/settings',
      rpc: method.updateAssistantSettings,
      summary: 'Update the assistant settings',
      body: { send_names: z.boolean().optional() },
      example: { send_names: false },
    },
  ],
});
