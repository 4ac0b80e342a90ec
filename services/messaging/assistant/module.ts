// The assistant of the clinic's staff: the briefing of a day, conversations, and proposals that users confirm.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { AssistantService } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../app.ts';
import { getAssistantSettings, updateAssistantSettings } from './rpcs/assistant-settings.ts';
import { chat } from './rpcs/chat.ts';
import { confirmAction, rejectAction } from './rpcs/decide-action.ts';
import { getBriefing } from './rpcs/get-briefing.ts';
import { getAssistantConversation, listAssistantConversations } from './rpcs/read-conversations.ts';
import { payloadContext } from './sql/assistant-actions.sql.ts';
import { contentContext, titleContext } from './sql/assistant-conversations.sql.ts';

export const assistant: Module<App> = {
  rpcs: [
    rpcs(AssistantService, {
      getBriefing,
      chat,
      confirmAction,
      rejectAction,
      listAssistantConversations,
      getAssistantConversation,
      getAssistantSettings,
      updateAssistantSettings,
    }),
  ],
  personal: [
    { table: 'assistant_actions', search: 'payload_sealed' },
    { table: 'assistant_messages', search: 'content_sealed' },
    // A conversation is deleted with its title.
    { table: 'assistant_conversations', search: 'title_sealed' },
    { table: 'assistant_summaries' },
    { table: 'assistant_usage' },
    { table: 'assistant_settings' },
  ],
  encrypted: [
    { table: 'assistant_conversations', key: ['clinic_id', 'id'], column: 'title_sealed', context: ({ id }) => titleContext(id) },
    { table: 'assistant_messages', key: ['clinic_id', 'id'], column: 'content_sealed', context: ({ id }) => contentContext(id) },
    { table: 'assistant_actions', key: ['clinic_id', 'id'], column: 'payload_sealed', context: ({ id }) => payloadContext(id) },
  ],
};
