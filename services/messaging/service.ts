// Combines the modules of messaging.
import path from 'node:path';
import { defineService } from '@clinic/lib/runtime/module.ts';
import { createApp } from './app.ts';
import { assistant } from './assistant/module.ts';
import { bookingCodes } from './booking-codes/module.ts';
import { bot } from './bot/module.ts';
import { cannedReplies } from './canned-replies/module.ts';
import { channel } from './channel/module.ts';
import { conversations } from './conversations/module.ts';
import { faq } from './faq/module.ts';
import { inbox } from './inbox/module.ts';
import { mail } from './mail/module.ts';
import { outbound } from './outbound/module.ts';
import { reminders } from './reminders/module.ts';
import { prepares } from './reminders/prepares.ts';
import { dependencies, settings } from './settings.ts';
import { webhooks } from './webhooks/module.ts';

export default defineService({
  name: 'messaging',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings,
  dependencies,
  // A clinic's rows are erased in this order.
  modules: [conversations, outbound(prepares), bot, assistant, bookingCodes, inbox, mail, reminders, cannedReplies, faq, channel, webhooks],
  createApp,
});
