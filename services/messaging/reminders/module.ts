// Messages that are not replies: reminders and notices of appointments, offers from the waitlist, recalls, payment reminders, prescriptions, forms.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { BotService } from '@clinic/proto/messaging/v1/bot_pb.js';
import type { App } from '../app.ts';
import { onFormSent, onPaymentReminderDue, onPrescriptionSent, onRecallMessageDue, onWaitlistOffered } from './consumers.ts';
import { getAppointmentMessages } from './get-appointment-messages.ts';
import { onAppointmentChanged } from './on-appointment-changed.ts';
import { purgeRemindersJob } from './purge-reminders.ts';
import { getReminderSettings, updateReminderSettings } from './reminder-settings.ts';
import { watchReminders } from './reminders.sql.ts';
import { mailNoticeJob } from './send-notice.ts';
import { sendRemindersJob } from './send-reminders.ts';
import { startOfferJob } from './start-offers.ts';

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
  jobs: (app) => [sendRemindersJob(app), mailNoticeJob(app), startOfferJob(app), purgeRemindersJob(app)],
  loops: (app) => [watchReminders(app)],
  personal: [{ table: 'reminders' }, { table: 'reminder_settings' }],
};
