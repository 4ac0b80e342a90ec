// The link of forms that a patient is to sign, sent by hand or with the reminder of an appointment, written at the moment of sending.
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { FormMessage } from '@clinic/proto/scheduling/v1/form_pb.js';
import type { App } from '../app.ts';
import type { Prepare } from '../outbound/prepare.ts';
import { composeMessage, findRecipient } from './compose-message.ts';

export const prepareForm: Prepare<'form'> = async (app, clinicId, { formId: id }) =>
  toMessage(app, clinicId, await ifFound(app.scheduling.forms.getFormMessage({ id }, await app.clinics.callOptions(clinicId))));

export const prepareAppointmentForms: Prepare<'appointment_forms'> = async (app, clinicId, { appointmentId }) =>
  toMessage(app, clinicId, await ifFound(app.scheduling.forms.requestAppointmentForms({ appointmentId }, await app.clinics.callOptions(clinicId))));

async function toMessage(app: App, clinicId: string, form: FormMessage | undefined) {
  if (!form) return { drop: 'nothing_to_sign' } as const;
  const to = await findRecipient(app, clinicId, form.patientId);
  if (!to) return { drop: 'no_phone' } as const;
  const [formulario, enlace] = [form.title, form.link];
  const text = to.say('form', { nombre: to.name, formulario, enlace });
  return composeMessage(to, { template: 'form', text, buttons: [], variables: [formulario, enlace] });
}
