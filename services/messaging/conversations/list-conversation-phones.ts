// Lists the phones of conversations of a clinic.
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { ListConversationPhonesRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import { listPhonesOf } from './conversations.sql.ts';

export async function listConversationPhones(app: App, { clinicId, ids }: ListConversationPhonesRequest) {
  const uuids = ids.map((id, index) => parseUuid(`ids.${index}`, id));
  const found = await listPhonesOf(app.db, parseUuid('clinic_id', clinicId), uuids);
  return { phones: Object.fromEntries(found.map(({ id, phone }) => [id, phone])) };
}
