import { BotService } from '@clinic/proto/messaging/v1/bot_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { clockTime } from './schemas.ts';

const { method } = BotService;

const key = z.enum(['greeting', 'not_understood', 'hand_over', 'booked', 'opted_out', 'opted_in', 'reminder_day', 'reminder_hours']);

export const bot = area({
  prefix: '/api/chat',
  tag: 'Chat bot',
  about: 'The texts of the bot, and the reminders and quiet hours of the clinic. What is not sent says why.',
  all: { scope: 'conversations' },
  routes: [
    { method: 'get', path: '/api/chat/texts', rpc: method.listBotTexts },
    {
      method: 'patch',
      path: '/api/chat/texts',
      rpc: method.updateBotTexts,
      summary: 'Update the bot texts',
      body: { texts: z.array(z.object({ key, language: z.enum(['es', 'en']), text: z.string().max(700) })).max(40) },
      example: { texts: [{ key: 'greeting', language: 'es', text: '¡Bienvenido a {clinica}! ¿Cómo le ayudamos?' }] },
    },
    { method: 'get', path: '/api/chat/reminders', rpc: method.getReminderSettings, summary: 'Get the reminder settings' },
    {
      method: 'patch',
      path: '/api/chat/reminders',
      rpc: method.updateReminderSettings,
      summary: 'Update the reminder settings',
      body: { is_enabled: z.boolean().optional(), quiet_from: clockTime.optional(), quiet_until: clockTime.optional() },
      example: { quiet_from: '20:00', quiet_until: '08:00' },
    },
    {
      method: 'get',
      path: '/api/chat/appointments/:id/messages',
      rpc: method.getAppointmentMessages,
      summary: 'Get the messages about an appointment',
      notFound: 'Appointment not found',
    },
  ],
});
