// Messaging: the chat channel, its conversations, FAQ, canned replies, and everything that goes out. The only wiring.
import path from 'node:path';
import { bell } from '@clinic/lib/background/bell.ts';
import { openDb } from '@clinic/lib/db/db.ts';
import { watchQueues } from '@clinic/lib/jobs/queue-age.ts';
import { dataSubjectRpc } from '@clinic/lib/privacy/data-subject.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import type { ServiceModule } from '@clinic/lib/runtime/service.ts';
import { AssistantService } from '@clinic/proto/messaging/v1/assistant_pb.js';
import { BotService } from '@clinic/proto/messaging/v1/bot_pb.js';
import { CannedReplyService } from '@clinic/proto/messaging/v1/canned_reply_pb.js';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { ChatEventService } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { FaqService } from '@clinic/proto/messaging/v1/faq_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { OutboundService } from '@clinic/proto/messaging/v1/outbound_pb.js';
import type { z } from 'zod';
import type { App } from './app.ts';
import { createModel } from './assistant/model.ts';
import { chat } from './assistant/rpcs/chat.ts';
import { confirmAction } from './assistant/rpcs/confirm-action.ts';
import { getAssistantConversation } from './assistant/rpcs/get-assistant-conversation.ts';
import { getAssistantSettings } from './assistant/rpcs/get-assistant-settings.ts';
import { getBriefing } from './assistant/rpcs/get-briefing.ts';
import { listAssistantConversations } from './assistant/rpcs/list-assistant-conversations.ts';
import { rejectAction } from './assistant/rpcs/reject-action.ts';
import { updateAssistantSettings } from './assistant/rpcs/update-assistant-settings.ts';
import { listBotTexts } from './bot/list-bot-texts.ts';
import { respond } from './bot/respond.ts';
import { updateBotTexts } from './bot/update-bot-texts.ts';
import { createCannedReply } from './canned-replies/create-canned-reply.ts';
import { deleteCannedReply } from './canned-replies/delete-canned-reply.ts';
import { listCannedReplies } from './canned-replies/list-canned-replies.ts';
import { updateCannedReply } from './canned-replies/update-canned-reply.ts';
import { createChatProvider } from './channel/chat-provider.ts';
import { disconnectChannel } from './channel/disconnect-channel.ts';
import { finishBindingsJob } from './channel/finish-bindings.ts';
import { getChannelSettings } from './channel/get-channel-settings.ts';
import { getChannelStatus } from './channel/get-channel-status.ts';
import { notifyNumberMovedJob } from './channel/notify-number-moved.ts';
import { startChannel } from './channel/start-channel.ts';
import { updateChannelSettings } from './channel/update-channel-settings.ts';
import { verifyChannelOtp } from './channel/verify-channel-otp.ts';
import { createClinics } from './clinics/clinics.ts';
import { endTakeoversJob } from './conversations/end-takeovers.ts';
import { getMedia } from './conversations/get-media.ts';
import { listConversations } from './conversations/list-conversations.ts';
import { listMessages } from './conversations/list-messages.ts';
import { markRead } from './conversations/mark-read.ts';
import { onPatientChanged } from './conversations/on-patient-changed.ts';
import { onPatientsChanged } from './conversations/on-patients-changed.ts';
import { release } from './conversations/release.ts';
import { takeOver } from './conversations/take-over.ts';
import { tellReadJob } from './conversations/tell-read.ts';
import { createFaq } from './faq/create-faq.ts';
import { deleteFaq } from './faq/delete-faq.ts';
import { listFaqs } from './faq/list-faqs.ts';
import { updateFaq } from './faq/update-faq.ts';
import { listChatEvents } from './inbox/list-chat-events.ts';
import { purgeDeliveriesJob } from './inbox/purge-deliveries.ts';
import { QUEUES, queuesStatement } from './inbox/queues.sql.ts';
import { receiveChatEvent } from './inbox/receive-chat-event.ts';
import { replayChatEvent } from './inbox/replay-chat-event.ts';
import { setAsideDeliveriesJob } from './inbox/set-aside-deliveries.ts';
import { createStore } from './inbox/store.ts';
import { startInbound } from './inbox/worker.ts';
import { createMailer } from './mail/mailer.ts';
import { onDemoAccepted } from './mail/on-demo-accepted.ts';
import { sendMail } from './mail/send-mail.ts';
import { sendMailJob } from './mail/send-mail-job.ts';
import { listDeadLetters } from './outbound/list-dead-letters.ts';
import { replayDeadLetter } from './outbound/replay-dead-letter.ts';
import { reply } from './outbound/reply.ts';
import { startSender } from './outbound/sender.ts';
import personal from './personal.ts';
import { getReminderSettings } from './reminders/get-reminder-settings.ts';
import { onAppointmentBooked } from './reminders/on-appointment-booked.ts';
import { onAppointmentRescheduled } from './reminders/on-appointment-rescheduled.ts';
import { onAppointmentStatusChanged } from './reminders/on-appointment-status-changed.ts';
import { onPaymentReminderDue } from './reminders/on-payment-reminder-due.ts';
import { onRecallMessageDue } from './reminders/on-recall-message-due.ts';
import { onWaitlistOffered } from './reminders/on-waitlist-offered.ts';
import { prepareOffer } from './reminders/prepare-offer.ts';
import { preparePayment } from './reminders/prepare-payment.ts';
import { prepareRecall } from './reminders/prepare-recall.ts';
import { prepareNotice, prepareReminder } from './reminders/prepare-visit.ts';
import { sendRemindersJob } from './reminders/send-reminders.ts';
import { updateReminderSettings } from './reminders/update-reminder-settings.ts';
import { settings } from './settings.ts';

/** Of their own, so that nothing else can keep deliveries waiting. */
const DOOR_CONNECTIONS = 2;

function createAssistant(given: z.infer<z.ZodObject<typeof settings>>): App['assistant'] {
  const { ASSISTANT_BASE_URL: baseUrl, ASSISTANT_API_KEY: apiKey, ASSISTANT_MODEL: model } = given;
  const timeoutMs = given.ASSISTANT_TIMEOUT_SECONDS * 1000;
  return {
    model: baseUrl ? createModel({ baseUrl, apiKey, model, silenceMs: timeoutMs / 3 }) : undefined,
    tokensPerDay: given.ASSISTANT_DAILY_TOKENS,
    timeoutMs,
  };
}

export default {
  name: 'messaging',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings,
  neighbours: ['identity', 'scheduling', 'dental', 'platform'],
  personal,
  create({ settings, db, clock, log, neighbour }) {
    const door = openDb({ url: settings.DATABASE_URL, schema: 'messaging', max: DOOR_CONNECTIONS, log });
    const arrived = bell();
    const app: App = {
      db,
      store: createStore(door, settings.ENCRYPTION_KEYS, arrived.ring),
      clock,
      log,
      constraints: { canned_replies_title_unique: 'CANNED_REPLY_EXISTS' },
      keys: settings.ENCRYPTION_KEYS,
      publicUrl: settings.PUBLIC_URL,
      chat: createChatProvider(settings.CHAT_API_BASE_URL, settings.CHAT_API_VERSION),
      clinics: createClinics(neighbour('identity'), clock),
      neighbour,
      respond,
      prepare: {
        recall: prepareRecall,
        appointment_reminder: prepareReminder,
        appointment_notice: prepareNotice,
        waitlist: prepareOffer,
        payment_reminder: preparePayment,
      },
      assistant: createAssistant(settings),
      arrived,
      toSend: bell(),
    };
    const mailer = createMailer({ smtpUrl: settings.SMTP_URL, from: settings.MAIL_FROM, folder: path.join(settings.DATA_DIR, 'mail') });
    return {
      implementations: [
        dataSubjectRpc({ db, log, keys: settings.ENCRYPTION_KEYS, personal }),
        implement(app, ChannelService, {
          startChannel,
          verifyChannelOtp,
          getChannelStatus,
          disconnectChannel,
          getChannelSettings,
          updateChannelSettings,
        }),
        implement(app, ChatEventService, { receiveChatEvent, listChatEvents, replayChatEvent }),
        implement(app, ConversationService, { listConversations, listMessages, reply, takeOver, release, markRead, getMedia }),
        implement(app, FaqService, { listFaqs, createFaq, updateFaq, deleteFaq }),
        implement(app, CannedReplyService, { listCannedReplies, createCannedReply, updateCannedReply, deleteCannedReply }),
        implement(app, AssistantService, {
          getBriefing,
          chat,
          confirmAction,
          rejectAction,
          listAssistantConversations,
          getAssistantConversation,
          getAssistantSettings,
          updateAssistantSettings,
        }),
        implement(app, BotService, { listBotTexts, updateBotTexts, getReminderSettings, updateReminderSettings }),
        implement(app, MailService, { sendMail }),
        implement(app, OutboundService, { listDeadLetters, replayDeadLetter }),
      ],
      consumers: [
        ...onPatientChanged(app),
        onPatientsChanged(app),
        onRecallMessageDue(app),
        onAppointmentBooked(app),
        onAppointmentRescheduled(app),
        onAppointmentStatusChanged(app),
        onWaitlistOffered(app),
        onPaymentReminderDue(app),
        onDemoAccepted(app),
      ],
      jobs: [
        finishBindingsJob(app),
        notifyNumberMovedJob(app),
        setAsideDeliveriesJob(app),
        endTakeoversJob(app),
        purgeDeliveriesJob(app),
        sendMailJob(app, mailer),
        sendRemindersJob(app),
        tellReadJob(app),
      ],
      loops: [{ stop: () => door.pool.end() }, watchQueues({ db, log }, QUEUES, queuesStatement), startInbound(app), startSender(app)],
    };
  },
} satisfies ServiceModule<typeof settings>;
