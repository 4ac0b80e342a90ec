// The assistant of the clinic's own people.
import { AssistantService } from '@clinic/proto/messaging/v1/assistant_pb.js';
import { z } from 'zod';
import type { Area, Route } from '../route.ts';
import { date } from '../schemas.ts';

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
