// Updates a contact when the status of its message changes.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { oneByOne, subscribeAll } from '@clinic/lib/events/events.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { OutboundMessageUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { App } from '../../app.ts';
import { applyMessageEvent, isMessageStatus } from '../rules/contact-state.ts';
import { lockContact, setState } from '../sql/recall-contacts.sql.ts';

export const onOutboundMessageUpdated = (app: App) =>
  subscribeAll(
    'recall-outbound-message-updated',
    'messaging',
    OutboundMessageUpdatedSchema,
    oneByOne(async (tx, { reference, status, failure, at }, { clinicId }) => {
      if (!isUuid(reference) || !isMessageStatus(status)) return;
      const contact = await lockContact(tx, clinicId, reference);
      if (!contact) return;
      const now = app.clock.now();
      await setState(tx, contact, applyMessageEvent(contact, { status, at: at ? timestampDate(at) : now, failure }), now);
    }),
    { concerns: ({ event }) => event.kind === 'recall' },
  );
