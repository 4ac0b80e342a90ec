// Stores that a patient answered a recall message, or opted out with the answer.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { oneByOne, subscribeAll } from '@clinic/lib/events/events.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { PatientRepliedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { App } from '../../app.ts';
import { applyMessageEvent } from '../rules/contact-state.ts';
import { lockContactAndBookings, setState, storeBookings } from '../sql/recall-contacts.sql.ts';

export const onPatientReplied = (app: App) =>
  subscribeAll(
    'recall-patient-replied',
    'messaging',
    PatientRepliedSchema,
    oneByOne(async (tx, { reference, at, optedOut }, { clinicId }) => {
      if (!isUuid(reference)) return;
      const contact = await lockContactAndBookings(tx, clinicId, reference);
      if (!contact) return;
      const now = app.clock.now();
      const event = { status: optedOut ? 'opted_out' : 'responded', at: at ? timestampDate(at) : now } as const;
      await setState(tx, contact, applyMessageEvent(contact, event), now);
      await storeBookings(tx, [clinicId], [contact.patient_id], now);
    }),
    { concerns: ({ event }) => event.kind === 'recall' },
  );
