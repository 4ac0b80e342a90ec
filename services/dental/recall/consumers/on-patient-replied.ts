// Stores that a patient answered a recall message, or opted out with the answer.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { subscribeAll } from '@clinic/lib/events/events.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type PatientReplied, PatientRepliedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { App } from '../../app.ts';
import { applyMessageEvent } from '../rules/contact-state.ts';
import { lockContactAndBookings, setState, storeBookings } from '../sql/recall-contacts.sql.ts';

export const onPatientReplied = (app: App) =>
  subscribeAll(
    'recall-patient-replied',
    'messaging',
    PatientRepliedSchema,
    async (tx, events) => {
      for (const { event, envelope } of events) await applyReply(app, tx, envelope.clinicId, event);
    },
    { concerns: ({ event }) => event.kind === 'recall' },
  );

async function applyReply(app: App, tx: SystemTx, clinicId: string, { reference, at, optedOut }: PatientReplied): Promise<void> {
  const contact = isUuid(reference) && (await lockContactAndBookings(tx, clinicId, reference));
  if (!contact) return;
  const now = app.clock.now();
  const event = { status: optedOut ? 'opted_out' : 'responded', at: at ? timestampDate(at) : now } as const;
  await setState(tx, contact, applyMessageEvent(contact, event), now);
  await storeBookings(tx, [clinicId], [contact.patient_id], now);
}
