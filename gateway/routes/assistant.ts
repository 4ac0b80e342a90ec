// The assistant of the clinic's own people.
import { AssistantService } from '@clinic/proto/messaging/v1/assistant_pb.js';
import { z } from 'zod';
import type { Area, Route } from '../http/route.ts';
import { date, limit, maybe, page, text, uuid } from './schemas.ts';

const { method } = AssistantService;

const gates = { access: 'user', rate: 'api', feature: 'assistant' } as const satisfies Partial<Route>;

export const assistant: Area = {
  prefix: '/api/assistant',
  tag: 'Assistant',
  about: 'The day in short, and questions about the clinic in plain words.',
  routes: [
    {
      ...gates,
      method: 'get',
      path: '/api/assistant/briefing',
      rpc: method.getBriefing,
      summary: 'See the day in short',
      request: { query: z.object({ date: date.optional() }) },
    },
    {
      ...gates,
      method: 'post',
      path: '/api/assistant/chat',
      rpc: method.chat,
      summary: 'Ask the assistant',
      request: { body: z.object({ message: text(4000), conversationId: maybe(uuid) }) },
      notFound: 'Conversation not found',
      errors: ['NOT_FOUND'],
      example: { message: '¿Qué citas hay mañana?' },
    },
    {
      ...gates,
      method: 'post',
      path: '/api/assistant/actions/:id/confirm',
      rpc: method.confirmAction,
      summary: 'Have a proposal done',
      request: { params: z.object({ id: uuid }) },
      notFound: 'Proposal not found',
      errors: ['NOT_FOUND', 'ASSISTANT_ACTION_CLOSED', 'SLOT_TAKEN', 'SLOT_UNAVAILABLE', 'APPOINTMENT_NOT_ACTIVE', 'CHAT_WINDOW_CLOSED'],
    },
    {
      ...gates,
      method: 'post',
      path: '/api/assistant/actions/:id/reject',
      rpc: method.rejectAction,
      summary: 'Turn a proposal down',
      request: { params: z.object({ id: uuid }) },
      notFound: 'Proposal not found',
      errors: ['NOT_FOUND', 'ASSISTANT_ACTION_CLOSED'],
    },
    {
      ...gates,
      method: 'get',
      path: '/api/assistant/conversations',
      rpc: method.listAssistantConversations,
      summary: 'List your conversations with the assistant',
      request: { query: z.object({ page, limit: limit() }) },
    },
    {
      ...gates,
      method: 'get',
      path: '/api/assistant/conversations/:id',
      rpc: method.getAssistantConversation,
      summary: 'Read a conversation with the assistant',
      request: { params: z.object({ id: uuid }) },
      notFound: 'Conversation not found',
      errors: ['NOT_FOUND'],
    },
    { ...gates, method: 'get', path: '/api/assistant/settings', rpc: method.getAssistantSettings, summary: 'See what the assistant may do' },
    {
      ...gates,
      method: 'patch',
      path: '/api/assistant/settings',
      rpc: method.updateAssistantSettings,
      access: 'admin',
      summary: 'Change what the assistant may do',
      request: { body: z.object({ send_names: z.boolean().optional() }) },
      example: { send_names: false },
    },
  ],
};
