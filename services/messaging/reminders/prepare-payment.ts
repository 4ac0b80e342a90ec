// A reminder of a payment plan, written at the moment of sending with the balance of that moment.
import { formatCents } from '@clinic/lib/formats/money.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { Prepare } from '../outbound/prepare.ts';
import { composeMessage, findRecipient } from './compose-message.ts';

export const preparePayment: Prepare<'payment_reminder'> = async (app, clinicId, { paymentPlanId: id }) => {
  const plan = await ifFound(app.dental.paymentPlans.getPaymentPlan({ id }, await app.clinics.callOptions(clinicId)));
  if (!plan?.reminderEnabled || (plan.status !== 'active' && plan.status !== 'overdue')) return { drop: 'not_owed' };
  const [to, { currency }] = await Promise.all([
    findRecipient(app, clinicId, plan.patientId),
    app.identity.profile.getClinicProfile({}, await app.clinics.callOptions(clinicId)),
  ]);
  if (!to) return { drop: 'no_phone' };
  const saldo = formatCents(plan.totalAmount - plan.amountPaid, currency);
  return composeMessage(to, { template: 'payment_reminder', text: to.say('payment_due', { nombre: to.name, saldo }), buttons: [], variables: [saldo] });
};
