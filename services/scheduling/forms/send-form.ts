// Sends the link of an open form by chat or mail, by hand or with the reminder of an appointment. Messaging requests the text of a
// chat message when it sends it.
import { randomUUID } from 'node:crypto';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { FormSentSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { GetFormMessageRequest, RequestAppointmentFormsRequest, SendFormRequest } from '@clinic/proto/scheduling/v1/form_pb.js';
import type { App } from '../app.ts';
import { refuseMergedRecord } from '../patient-records/records.sql.ts';
import { requireReach } from '../patients/patient-reach.ts';
import { lockTemplate } from './form-templates.sql.ts';
import { formLink, toListed } from './form-view.ts';
import { type FormRow, findForm, findFormOf, findMissingForms, findNextForm, lockPatientOf } from './forms.sql.ts';
import { addForm } from './manage-forms.ts';
import { isUnreviewed } from './standard-templates.ts';

const NOUN = 'Form';

export async function sendForm(app: App, { patientId, id, channel }: SendFormRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(patientId) || !isUuid(id)) fail('NOT_FOUND', `${NOUN} not found`);
  const form = await inTenant(app.db, clinicId, async (tx) => {
    await refuseMergedRecord(tx, patientId);
    return found(await findFormOf(tx, patientId, id), NOUN);
  });
  if (form.signed_at) fail('FORM_SIGNED');
  const reach = await requireReach(app, call, form.shown_patient_id, channel);
  const sendId = randomUUID();
  const record = (tx: TenantTx) => audit(tx, clinicId, call.caller, { action: 'form.sent', entityId: id, changes: { channel: reach.channel } });
  if (reach.channel === 'chat')
    await inTenant(app.db, clinicId, async (tx) => {
      await emit(tx, clinicId, FormSentSchema, { formId: id, sendId, patientId: form.shown_patient_id });
      await record(tx);
    });
  else {
    const { name: clinic } = await app.profile.getClinicProfile({}, callAs(call.caller));
    await inTenant(app.db, clinicId, record);
    const parameters = { name: form.patient_name, clinic, title: form.title, link: formLink(app, clinicId, id) };
    const caller = serviceCaller('scheduling', call.caller.requestId);
    await app.mail.sendMail({ kind: 'form', to: reach.to, parameters, reference: `form:${sendId}` }, callAs(caller));
  }
  return toListed(app, clinicId, form);
}

export async function getFormMessage(app: App, { id }: GetFormMessageRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const form = isUuid(id) ? await inTenant(app.db, clinicId, (tx) => findForm(tx, id)) : undefined;
  if (!form || form.signed_at) fail('NOT_FOUND', `${NOUN} not found`);
  return toMessage(app, clinicId, form);
}

/** Creates what is missing, once, except forms of a text that the clinic still has to edit: the forms of concurrent and repeated requests are the same. */
export async function requestAppointmentForms(app: App, { appointmentId }: RequestAppointmentFormsRequest, call: Call) {
  const next = await inTenant(app.db, clinicOf(call).id, async (tx) => {
    const patientId = isUuid(appointmentId) ? await lockPatientOf(tx, appointmentId) : undefined;
    if (!patientId) return undefined;
    for (const missing of await findMissingForms(tx, appointmentId)) {
      const template = missing.form_id ? undefined : await lockTemplate(tx, missing.template_id);
      if (template && !isUnreviewed(template))
        await addForm(app, tx, call, template, { patient_id: patientId, appointment_id: appointmentId, created_by: null });
    }
    const id = await findNextForm(tx, patientId);
    return id && findForm(tx, id);
  });
  return next ? toMessage(app, clinicOf(call).id, next) : fail('NOT_FOUND', `${NOUN} not found`);
}

const toMessage = (app: App, clinicId: string, form: FormRow) => ({
  patientId: form.shown_patient_id,
  title: form.title,
  link: formLink(app, clinicId, form.id),
});
