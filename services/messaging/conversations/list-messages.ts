// Lists the messages of a conversation, and the times of messages for the timeline of a patient.
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parseTimelineAfter, toTimelineEntry } from '@clinic/lib/formats/timeline.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListMessagesRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { ListTimelineEntriesRequest } from '@clinic/proto/messaging/v1/timeline_pb.js';
import type { App } from '../app.ts';
import { toConversationKey } from './conversation-key-rules.ts';
import { findConversationByPhone } from './conversations.sql.ts';
import { listMessages as list, listTimelineMessages, toProto } from './messages.sql.ts';
import { shownText } from './shown-text.ts';

/** The newest first. */
export async function listMessages(app: App, request: ListMessagesRequest, call: Call) {
  const { id } = clinicOf(call);
  const limit = parseInteger('limit', request.limit || 50, 1, 500);
  const before = request.before ? parseUuid('before', request.before) : undefined;
  const phone = found(toConversationKey(request.phone), 'Conversation');
  return inTenant(app.db, id, async (tx) => {
    const conversation = found(await findConversationByPhone(tx, phone), 'Conversation');
    const messages = await list(tx, conversation.id, before, limit + 1);
    const shown = messages.slice(0, limit).map((one) => toProto(one, phone));
    return { messages: shown.map((one) => ({ ...one, text: shownText(call, one.text) })), hasMore: messages.length > limit };
  });
}

/** Lists when messages were exchanged with a patient, without their texts. */
export async function listTimelineEntries(app: App, request: ListTimelineEntriesRequest, call: Call) {
  const entries = await listTimelineMessages(app.db, clinicOf(call).id, request.phones, parseTimelineAfter(request));
  return { entries: entries.map(toTimelineEntry) };
}
