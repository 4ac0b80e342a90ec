// What a patient's message means beside the bot's answer: it answers a recall, and a wish to be left alone holds whoever has the
// conversation.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { PatientRepliedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { createClient } from '@connectrpc/connect';
import type { App } from '../app.ts';
import type { ConversationRow } from '../conversations/conversations.sql.ts';
import type { MessageRow } from '../conversations/messages.sql.ts';
import { findRecall } from './open-question.sql.ts';
import { wantsToBeLeftAlone } from './rules/intents.ts';

/** `silent` when the bot does not answer: then nobody else hears the wish. Again changes nothing. */
export async function noteReply(app: App, tx: TenantTx, { phone, patient_id }: ConversationRow, message: MessageRow, silent: boolean): Promise<void> {
  const optedOut = wantsToBeLeftAlone(message.type, message.content);
  const reference = await findRecall(tx, phone, app.clock.now());
  if (reference) {
    const at = timestampFromDate(message.sent_at ?? message.created_at);
    await emit(tx, tx.clinicId, PatientRepliedSchema, { patientId: patient_id ?? '', reference, kind: 'recall', at, optedOut });
  }
  if (silent && optedOut && patient_id)
    await createClient(LookupService, app.neighbour('scheduling')).setRecallOptOut({ id: patient_id }, await app.clinics.acting(tx.clinicId));
}
