// Messages that patients did not ask for: reminders and notices of appointments, offers of the waitlist, recalls, payment reminders, prescriptions, forms.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { BotService } from '@clinic/proto/messaging/v1/bot_pb.js';
import type { App } from '../app.ts';
import { getAppointmentMessages } from './get-appointment-messages.ts';
import { getReminderSettings } from './get-reminder-settings.ts';
import { onAppointmentChanged } from './on-appointment-changed.ts';
import { onFormSent } from './on-form-sent.ts';
import { onPaymentReminderDue } from './on-payment-reminder-due.ts';
import { onPrescriptionSent } from './on-prescription-sent.ts';
import { onRecallMessageDue } from './on-recall-message-due.ts';
import { onWaitlistOffered } from './on-waitlist-offered.ts';
import { purgeRemindersJob } from './purge-reminders.ts';
import { watchReminders } from './reminders.sql.ts';
import { mailNoticeJob } from './send-notice.ts';
import { sendRemindersJob } from './send-reminders.ts';
import { updateReminderSettings } from './update-reminder-settings.ts';

export const reminders: Module<App> = {
  rpcs: [rpcs(BotService, { getReminderSettings, updateReminderSettings, getAppointmentMessages })],
  consumers: (app) => [
    ...onAppointmentChanged(app),
    onRecallMessageDue(app),
    onWaitlistOffered(app),
    onPaymentReminderDue(app),
    onPrescriptionSent(app),
    onFormSent(app),
  ],
  jobs: (app) => [sendRemindersJob(app), mailNoticeJob(app), purgeRemindersJob(app)],
  loops: (app) => [watchReminders(app)],
  personal: [{ table: 'reminders' }, { table: 'reminder_settings' }],
};
