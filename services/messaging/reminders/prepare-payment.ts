// A reminder of a payment plan, written at the moment of sending with the balance of that moment.
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { Prepare } from '../outbound/prepare.ts';
import { composeMessage, findRecipient } from './compose-message.ts';

export const preparePayment: Prepare<'payment_reminder'> = async (app, clinicId, { paymentPlanId: id }) => {
  const plan = await ifFound(app.dental.paymentPlans.getPaymentPlan({ id }, await app.clinics.callOptions(clinicId)));
  if (!plan?.reminderEnabled || (plan.status !== 'active' && plan.status !== 'overdue')) return { drop: 'not_owed' };
  const to = await findRecipient(app, clinicId, plan.patientId);
  if (!to) return { drop: 'no_phone' };
  const saldo = `$${(Number(plan.totalAmount - plan.amountPaid) / 100).toFixed(2)}`;
  return composeMessage(to, { template: 'payment_reminder', text: to.say('payment_due', { nombre: to.name, saldo }), buttons: [], variables: [saldo] });
};
