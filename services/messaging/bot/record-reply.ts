// What a patient's message means whether or not the bot answers it: it counts as the reply to a recall message, and BAJA and ALTA hold
// also while a person has the conversation.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { PatientRepliedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { App } from '../app.ts';
import type { ConversationRow } from '../conversations/conversations.sql.ts';
import type { MessageRow } from '../conversations/messages.sql.ts';
import { findRecallReference } from './open-question.sql.ts';
import { recallChoice } from './rules/intents.ts';

/** `silent`: the bot does not answer, so the choice about recalls is stored here. Doing this twice changes nothing more. */
export async function recordReply(app: App, tx: TenantTx, { phone, patient_id }: ConversationRow, message: MessageRow, silent: boolean): Promise<void> {
  const choice = recallChoice(message.type, message.content);
  const reference = await findRecallReference(tx, phone, app.clock.now());
  if (reference) {
    const at = timestampFromDate(message.sent_at ?? message.created_at);
    await emit(tx, tx.clinicId, PatientRepliedSchema, { patientId: patient_id ?? '', reference, kind: 'recall', at, optedOut: choice === 'stop' });
  }
  if (!silent || !choice || !patient_id) return;
  await app.scheduling.lookup.setRecallOptOut({ id: patient_id, optIn: choice === 'start' }, await app.clinics.callOptions(tx.clinicId));
}
