// Updates a contact when the status of its message changes.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { subscribeAll } from '@clinic/lib/events/events.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type OutboundMessageUpdated, OutboundMessageUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { App } from '../../app.ts';
import { applyMessageEvent, isMessageStatus } from '../rules/contact-state.ts';
import { lockContact, setState } from '../sql/recall-contacts.sql.ts';

export const onOutboundMessageUpdated = (app: App) =>
  subscribeAll(
    'recall-outbound-message-updated',
    'messaging',
    OutboundMessageUpdatedSchema,
    async (tx, events) => {
      for (const { event, envelope } of events) await applyStatus(app, tx, envelope.clinicId, event);
    },
    { concerns: ({ event }) => event.kind === 'recall' },
  );

async function applyStatus(app: App, tx: SystemTx, clinicId: string, { reference, status, failure, at }: OutboundMessageUpdated): Promise<void> {
  if (!isUuid(reference) || !isMessageStatus(status)) return;
  const contact = await lockContact(tx, clinicId, reference);
  if (!contact) return;
  const now = app.clock.now();
  await setState(tx, contact, applyMessageEvent(contact, { status, at: at ? timestampDate(at) : now, failure }), now);
}
