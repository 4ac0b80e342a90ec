// A patient answered a recall message: the contact has done its work, or the patient wants no more of them.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { PatientRepliedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { App } from '../../app.ts';
import { after } from '../rules/contact-state.ts';
import { lockContact, noteBooking, setState } from '../sql/recall-contacts.sql.ts';

export const onPatientReplied = (app: App) =>
  subscribe('recall-patient-replied', 'messaging', PatientRepliedSchema, async (tx, { reference, kind, at, optedOut }, { clinicId }) => {
    if (kind !== 'recall' || !isUuid(reference)) return;
    const contact = await lockContact(tx, clinicId, reference);
    if (!contact) return;
    const now = app.clock.now();
    const news = { status: optedOut ? 'opted_out' : 'responded', at: at ? timestampDate(at) : now } as const;
    await setState(tx, contact, after(contact, news), now);
    await noteBooking(tx, clinicId, contact.patient_id, now);
  });
