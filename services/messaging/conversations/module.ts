// Conversations with patients. The RPC Reply of this contract is in the module outbound.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { TimelineService } from '@clinic/proto/messaging/v1/timeline_pb.js';
import type { App } from '../app.ts';
import { markRead, release, takeOver } from './change-mode.ts';
import { endTakeoversJob } from './end-takeovers.ts';
import { getMedia } from './get-media.ts';
import { listConversationPhones, listConversations, listWaitingConversations } from './list-conversations.ts';
import { listMessages, listTimelineEntries } from './list-messages.ts';
import { onPatientChanged } from './on-patient-changed.ts';
import { sendReadReceiptJob } from './send-read-receipt.ts';

const CONVERSATIONS = 'select c.id from conversations c where c.clinic_id = $1 and (c.patient_id = any($ids) or c.phone = any($phones))';

export const conversations: Module<App> = {
  rpcs: [
    rpcs(TimelineService, { listTimelineEntries }),
    rpcs(ConversationService, { listConversations, listConversationPhones, listWaitingConversations, listMessages, takeOver, release, markRead, getMedia }),
  ],
  consumers: (app) => onPatientChanged(app),
  jobs: (app) => [endTakeoversJob(app), sendReadReceiptJob(app)],
  personal: [
    { table: 'turns', ofPatient: `conversation_id in (${CONVERSATIONS})`, erase: 'delete' },
    { table: 'messages', ofPatient: `conversation_id in (${CONVERSATIONS})`, erase: 'delete' },
    { table: 'conversations', ofPatient: 'patient_id = any($ids) or phone = any($phones)', erase: 'delete' },
    { table: 'patient_revisions', ofPatient: 'patient_id = any($ids)', why: 'ids and revisions only, so that a late event changes nothing' },
  ],
};
