// The text of a due message, rendered when messaging sends it, or the reason why it is withdrawn: after the contact was queued, the patient
// may have booked or completed an appointment, or opted out.
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { RenderRecallMessageRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { getPatientOfRecord } from '../../patients/find-patients.ts';
import { reasonNotToSend, templateValues } from '../rules/recall-message.ts';
import { render, VARIABLES } from '../rules/template.ts';
import { findDueMessage } from '../sql/due-message.sql.ts';
import { withdraw } from '../sql/recall-contacts.sql.ts';

export async function renderRecallMessage(app: App, { contactId }: RenderRecallMessageRequest, call: Call) {
  const now = app.clock.now();
  if (!isUuid(contactId)) fail('NOT_FOUND', 'Contact not found');
  // As the system, because messaging sends only the id of the contact.
  const contact = found(await asSystem(app.db, (tx) => findDueMessage(tx, contactId, now)), 'Contact');
  const ids = { clinicId: contact.clinic_id, patientId: contact.patient_id };
  const asDental = callAs({ ...serviceCaller('dental', call.caller.requestId), clinic: { id: contact.clinic_id, plan: '', timezone: '', country: '' } });
  const [patient, clinic] = await Promise.all([getPatientOfRecord(app, asDental, contact.patient_id), app.clinicProfile.getClinicProfile({}, asDental)]);
  const reason = reasonNotToSend(contact, patient);
  if (reason) {
    await inTenant(app.db, contact.clinic_id, (tx) => withdraw(tx, contact, reason, now));
    return { ...ids, send: false, reason };
  }
  const { procedure_type: procedureType, procedure_name: procedureName, last_visit: lastAppointment } = contact;
  const values = templateValues({ fullName: patient.fullName, clinic: clinic.name, procedureType, procedureName, lastAppointment });
  const text = render(contact.message_template, values);
  return { ...ids, send: true, text, phone: patient.reachablePhone ?? '', variables: VARIABLES.map((name) => values[name]) };
}
