// What the bot says, and when it speaks by itself.
import { BotService } from '@clinic/proto/messaging/v1/bot_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { clockTime } from './schemas.ts';

const { method } = BotService;

const key = z.enum(['greeting', 'not_understood', 'hand_over', 'booked', 'opted_out', 'opted_in', 'reminder_day', 'reminder_hours']);

export const bot: Area = {
  prefix: '/api/chat',
  tag: 'Chat bot',
  about: 'The words of the bot, and the reminders and quiet hours of a clinic.',
  routes: [
    { method: 'get', path: '/api/chat/texts', rpc: method.listBotTexts, access: 'user', rate: 'api', summary: 'See what the bot says' },
    {
      method: 'patch',
      path: '/api/chat/texts',
      rpc: method.updateBotTexts,
      access: 'admin',
      rate: 'api',
      summary: 'Change what the bot says',
      request: { body: z.object({ texts: z.array(z.object({ key, language: z.enum(['es', 'en']), text: z.string().max(700) })).max(40) }) },
      example: { texts: [{ key: 'greeting', language: 'es', text: '¡Bienvenido a {clinica}! ¿Cómo le ayudamos?' }] },
    },
    { method: 'get', path: '/api/chat/reminders', rpc: method.getReminderSettings, access: 'user', rate: 'api', summary: 'See reminders and quiet hours' },
    {
      method: 'patch',
      path: '/api/chat/reminders',
      rpc: method.updateReminderSettings,
      access: 'admin',
      rate: 'api',
      summary: 'Set reminders and quiet hours',
      request: { body: z.object({ is_enabled: z.boolean().optional(), quiet_from: clockTime.optional(), quiet_until: clockTime.optional() }) },
      example: { quiet_from: '20:00', quiet_until: '08:00' },
    },
  ],
};
