// Messaging: the chat channel, its conversations, FAQ, canned replies, and everything that goes out. The only wiring.
import path from 'node:path';
import { bell } from '@clinic/lib/bell.ts';
import { dataSubjectRpc } from '@clinic/lib/data-subject.ts';
import { openDb } from '@clinic/lib/db.ts';
import { watchQueues } from '@clinic/lib/queue-age.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import type { ServiceModule } from '@clinic/lib/service.ts';
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
import { respond } from './bot/respond.ts';
import { createClinics } from './clinics.ts';
import { onAppointmentBooked } from './consumers/on-appointment-booked.ts';
import { onAppointmentRescheduled } from './consumers/on-appointment-rescheduled.ts';
import { onAppointmentStatusChanged } from './consumers/on-appointment-status-changed.ts';
import { onDemoAccepted } from './consumers/on-demo-accepted.ts';
import { onPatientChanged } from './consumers/on-patient-changed.ts';
import { onPatientsChanged } from './consumers/on-patients-changed.ts';
import { onPaymentReminderDue } from './consumers/on-payment-reminder-due.ts';
import { onRecallMessageDue } from './consumers/on-recall-message-due.ts';
import { onWaitlistOffered } from './consumers/on-waitlist-offered.ts';
import { chat } from './handlers/chat.ts';
import { confirmAction } from './handlers/confirm-action.ts';
import { createCannedReply } from './handlers/create-canned-reply.ts';
import { createFaq } from './handlers/create-faq.ts';
import { deleteCannedReply } from './handlers/delete-canned-reply.ts';
import { deleteFaq } from './handlers/delete-faq.ts';
import { disconnectChannel } from './handlers/disconnect-channel.ts';
import { getAssistantConversation } from './handlers/get-assistant-conversation.ts';
import { getAssistantSettings } from './handlers/get-assistant-settings.ts';
import { getBriefing } from './handlers/get-briefing.ts';
import { getChannelSettings } from './handlers/get-channel-settings.ts';
import { getChannelStatus } from './handlers/get-channel-status.ts';
import { getMedia } from './handlers/get-media.ts';
import { getReminderSettings } from './handlers/get-reminder-settings.ts';
import { listAssistantConversations } from './handlers/list-assistant-conversations.ts';
import { listBotTexts } from './handlers/list-bot-texts.ts';
import { listCannedReplies } from './handlers/list-canned-replies.ts';
import { listChatEvents } from './handlers/list-chat-events.ts';
import { listConversations } from './handlers/list-conversations.ts';
import { listDeadLetters } from './handlers/list-dead-letters.ts';
import { listFaqs } from './handlers/list-faqs.ts';
import { listMessages } from './handlers/list-messages.ts';
import { markRead } from './handlers/mark-read.ts';
import { receiveChatEvent } from './handlers/receive-chat-event.ts';
import { rejectAction } from './handlers/reject-action.ts';
import { release } from './handlers/release.ts';
import { replayChatEvent } from './handlers/replay-chat-event.ts';
import { replayDeadLetter } from './handlers/replay-dead-letter.ts';
import { reply } from './handlers/reply.ts';
import { sendMail } from './handlers/send-mail.ts';
import { startChannel } from './handlers/start-channel.ts';
import { takeOver } from './handlers/take-over.ts';
import { updateAssistantSettings } from './handlers/update-assistant-settings.ts';
import { updateBotTexts } from './handlers/update-bot-texts.ts';
import { updateCannedReply } from './handlers/update-canned-reply.ts';
import { updateChannelSettings } from './handlers/update-channel-settings.ts';
import { updateFaq } from './handlers/update-faq.ts';
import { updateReminderSettings } from './handlers/update-reminder-settings.ts';
import { verifyChannelOtp } from './handlers/verify-channel-otp.ts';
import { createStore } from './inbound/store.ts';
import { startInbound } from './inbound/worker.ts';
import { endTakeoversJob } from './jobs/end-takeovers.ts';
import { finishBindingsJob } from './jobs/finish-bindings.ts';
import { notifyNumberMovedJob } from './jobs/notify-number-moved.ts';
import { purgeDeliveriesJob } from './jobs/purge-deliveries.ts';
import { sendMailJob } from './jobs/send-mail.ts';
import { sendRemindersJob } from './jobs/send-reminders.ts';
import { setAsideDeliveriesJob } from './jobs/set-aside-deliveries.ts';
import { tellReadJob } from './jobs/tell-read.ts';
import { prepareOffer } from './outbound/prepare-offer.ts';
import { preparePayment } from './outbound/prepare-payment.ts';
import { prepareRecall } from './outbound/prepare-recall.ts';
import { prepareNotice, prepareReminder } from './outbound/prepare-visit.ts';
import { startSender } from './outbound/sender.ts';
import personal from './personal.ts';
import { createChatProvider } from './providers/chat.ts';
import { createMailer } from './providers/mail.ts';
import { createModel } from './providers/model.ts';
import { settings } from './settings.ts';
import { QUEUES, queuesStatement } from './sql/queues.ts';

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
