// Composes the messages of this module when they are sent, by kind. service.ts passes these functions to outbound.
import { formatCents } from '@clinic/lib/formats/money.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { FormMessage } from '@clinic/proto/scheduling/v1/form_pb.js';
import type { App } from '../app.ts';
import { asMessaging, type Clinic } from '../clinics/clinics.ts';
import { KINDS } from '../outbound/message-kinds-rules.ts';
import type { Prepare, Prepares } from '../outbound/prepare.ts';
import { composeMessage, findRecipient } from './compose-message.ts';
import { prepareReminder } from './prepare-appointment-messages.ts';
import { prepareOffer } from './prepare-offer.ts';
import { prepareNotice } from './send-notice.ts';

/** The approved template for recalls; its text is one variable. */
const RECALL_TEMPLATE = { name: 'recall_message', language: 'es' };

/** Composed by dental, since the patient may have come or opted out meanwhile. */
const prepareRecall: Prepare<'recall'> = async (app, _clinic, { contactId }) => {
  const { send, reason, phone, text } = await app.dental.recall.renderRecallMessage({ contactId }, asMessaging());
  if (!send) return { drop: KINDS.recall.dropsWhen.find((known) => known === reason) ?? 'withdrawn' };
  return { phone, content: { text }, outsideWindow: { ...RECALL_TEMPLATE, variables: [text] } };
};

/** With the current balance. */
const preparePayment: Prepare<'payment_reminder'> = async (app, clinic, { paymentPlanId: id }) => {
  const options = await app.clinics.callOptions(clinic.id);
  const plan = await ifFound(app.dental.paymentPlans.getPaymentPlan({ id }, options));
  if (!plan?.reminderEnabled || (plan.status !== 'active' && plan.status !== 'overdue')) return { drop: 'not_owed' };
  const [to, { currency }] = await Promise.all([findRecipient(app, clinic, plan.patientId), app.identity.profile.getClinicProfile({}, options)]);
  if (!to) return { drop: 'no_phone' };
  const saldo = formatCents(plan.totalAmount - plan.amountPaid, currency);
  return composeMessage(to, { template: 'payment_reminder', text: to.say('payment_due', { nombre: to.name, saldo }), buttons: [], variables: [saldo] });
};

/** Dropped if the link has expired, or the patient was erased. */
const preparePrescription: Prepare<'prescription'> = async (app, clinic, { linkId }) => {
  const message = await ifFound(app.scheduling.prescriptions.getPrescriptionMessage({ linkId }, await app.clinics.callOptions(clinic.id)));
  if (!message) return { drop: 'too_late' };
  const to = await findRecipient(app, clinic, message.patientId);
  if (!to) return { drop: 'no_phone' };
  const [numero, enlace] = [String(message.number), message.link];
  const text = to.say('prescription', { nombre: to.name, numero, enlace });
  return composeMessage(to, { template: 'prescription', text, buttons: [], variables: [numero, enlace] });
};

/** The link to forms that a patient is to sign, sent by a user or with the reminder of an appointment. */
async function toFormMessage(app: App, clinic: Clinic, form: FormMessage | undefined) {
  if (!form) return { drop: 'nothing_to_sign' } as const;
  const to = await findRecipient(app, clinic, form.patientId);
  if (!to) return { drop: 'no_phone' } as const;
  const [formulario, enlace] = [form.title, form.link];
  const text = to.say('form', { nombre: to.name, formulario, enlace });
  return composeMessage(to, { template: 'form', text, buttons: [], variables: [formulario, enlace] });
}

export const prepares: Prepares = {
  recall: prepareRecall,
  appointment_reminder: prepareReminder,
  appointment_notice: prepareNotice,
  appointment_forms: async (app, clinic, { appointmentId }) =>
    toFormMessage(app, clinic, await ifFound(app.scheduling.forms.requestAppointmentForms({ appointmentId }, await app.clinics.callOptions(clinic.id)))),
  form: async (app, clinic, { formId: id }) =>
    toFormMessage(app, clinic, await ifFound(app.scheduling.forms.getFormMessage({ id }, await app.clinics.callOptions(clinic.id)))),
  waitlist: prepareOffer,
  payment_reminder: preparePayment,
  prescription: preparePrescription,
};
