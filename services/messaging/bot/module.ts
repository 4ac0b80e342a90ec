// The bot that replies to patients in chat: its texts and its sessions. The inbox calls `respond` for each message.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { BotService } from '@clinic/proto/messaging/v1/bot_pb.js';
import type { App } from '../app.ts';
import { listBotTexts, updateBotTexts } from './bot-texts.ts';
import { purgeSessionsJob } from './purge-sessions.ts';

export const bot: Module<App> = {
  rpcs: [rpcs(BotService, { listBotTexts, updateBotTexts })],
  jobs: (app) => [purgeSessionsJob(app)],
  personal: [{ table: 'bot_sessions', ofPatient: 'phone = any($phones)', erase: 'delete' }, { table: 'bot_texts' }],
};
