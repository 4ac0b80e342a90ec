// The messages of this module, prepared at the moment of sending, by kind. service.ts passes them to outbound.
import type { Prepares } from '../outbound/prepare.ts';
import { prepareReminder } from './prepare-appointment-messages.ts';
import { prepareAppointmentForms, prepareForm } from './prepare-forms.ts';
import { prepareOffer } from './prepare-offer.ts';
import { preparePayment } from './prepare-payment.ts';
import { preparePrescription } from './prepare-prescription.ts';
import { prepareRecall } from './prepare-recall.ts';
import { prepareNotice } from './send-notice.ts';

export const prepares: Prepares = {
  recall: prepareRecall,
  appointment_reminder: prepareReminder,
  appointment_notice: prepareNotice,
  appointment_forms: prepareAppointmentForms,
  form: prepareForm,
  waitlist: prepareOffer,
  payment_reminder: preparePayment,
  prescription: preparePrescription,
};
