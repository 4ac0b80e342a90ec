// The dependencies of every handler, consumer, job and loop of messaging.
import path from 'node:path';
import { createSignal, type Signal } from '@clinic/lib/background/signal.ts';
import type { Clock } from '@clinic/lib/clock/clock.ts';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { type Db, openDb } from '@clinic/lib/db/db.ts';
import type { Constraints } from '@clinic/lib/errors/errors.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import { TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { FaqService } from '@clinic/proto/messaging/v1/faq_pb.js';
import { DemoRequestService } from '@clinic/proto/platform/v1/demo_request_pb.js';
import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { AnalyticsService } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { CommissionService } from '@clinic/proto/scheduling/v1/commission_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { FormService } from '@clinic/proto/scheduling/v1/form_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { ManageLinkService } from '@clinic/proto/scheduling/v1/manage_link_pb.js';
import { PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { PrescriptionService } from '@clinic/proto/scheduling/v1/prescription_pb.js';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { createClient, type Transport } from '@connectrpc/connect';
import { createModel, type Model } from './assistant/model.ts';
import { createPhoneTextsReader, type PhoneTexts } from './bot/phone-texts.sql.ts';
import { type ChatProvider, createChatProvider } from './channel/chat-provider.ts';
import { type Clinics, createClinics } from './clinics/clinics.ts';
import { createFaqReader, type FaqRow } from './faq/faqs.sql.ts';
import { createDeliveryStore, type DeliveryStore } from './inbox/delivery-store.ts';
import { createMailer, type Mailer } from './mail/mailer.ts';
import type { Settings } from './settings.ts';
import { createPost } from './webhooks/post.ts';

/** Clients of the services that messaging calls. `messaging` is this service itself, for modules that call others by RPC. */
type Clients = ReturnType<typeof createClients>;

export type App = Clients & {
  db: Db;
  /** Stores deliveries of the chat provider. */
  deliveryStore: DeliveryStore;
  clock: Clock;
  log: Log;
  constraints: Constraints;
  /** Key ring for the encryption of tokens, PINs, deliveries and mails. */
  keys: NamedKey[];
  /** The URL at which clients reach the gateway, without a trailing slash. */
  publicUrl: string;
  chat: ChatProvider;
  mailer: Mailer;
  /** The folder to which mails are written if there is no mail server. */
  dataDir: string;
  clinics: Clinics;
  /** The active FAQ entries of a clinic, for the bot. */
  activeFaqs(clinicId: string): Promise<FaqRow[]>;
  /** The language and the texts for a phone. */
  phoneTexts(of: { clinicId: string; phone: string }): Promise<PhoneTexts>;
  /** Without a model, rules answer for the assistant. `timeoutMs` limits a whole answer. */
  assistant: { model: Model | undefined; tokensPerDay: number; timeoutMs: number };
  /** Notified when a delivery is stored. */
  deliveryStored: Signal;
  /** Notified when turns of the bot may be due. */
  turnsWaiting: Signal;
  /** Notified when an outbound message is stored. */
  toSend: Signal;
  /** Sends webhooks. `due` is notified when deliveries are stored. Private addresses are only allowed in development. */
  webhooks: { post: ReturnType<typeof createPost>; allowPrivate: boolean; due: Signal };
};

export function createClients(transportTo: (service: string) => Transport) {
  const [identity, scheduling, dental] = [transportTo('identity'), transportTo('scheduling'), transportTo('dental')];
  const [platform, messaging] = [transportTo('platform'), transportTo('messaging')];
  return {
    identity: {
      access: createClient(AccessService, identity),
      profile: createClient(ClinicProfileService, identity),
      usage: createClient(UsageReportService, identity),
      users: createClient(UserService, identity),
    },
    scheduling: {
      agenda: createClient(AgendaService, scheduling),
      analytics: createClient(AnalyticsService, scheduling),
      appointments: createClient(AppointmentService, scheduling),
      appointmentTypes: createClient(AppointmentTypeService, scheduling),
      commissions: createClient(CommissionService, scheduling),
      doctors: createClient(DoctorService, scheduling),
      forms: createClient(FormService, scheduling),
      manageLinks: createClient(ManageLinkService, scheduling),
      lookup: createClient(LookupService, scheduling),
      patients: createClient(PatientService, scheduling),
      prescriptions: createClient(PrescriptionService, scheduling),
      slotDrafts: createClient(SlotDraftService, scheduling),
      waitlist: createClient(WaitlistService, scheduling),
    },
    dental: {
      paymentPlans: createClient(PaymentPlanService, dental),
      recall: createClient(RecallService, dental),
      treatmentPlans: createClient(TreatmentPlanService, dental),
    },
    platform: { demoRequests: createClient(DemoRequestService, platform) },
    messaging: {
      channel: createClient(ChannelService, messaging),
      conversations: createClient(ConversationService, messaging),
      faq: createClient(FaqService, messaging),
    },
  };
}

/** Deliveries are stored on separate connections, so that no other work delays them. */
const DELIVERY_STORE_CONNECTIONS = 2;

export function createApp({ settings, db, clock, log, transportTo }: Start<Settings>): App {
  const deliveries = openDb(settings, { schema: 'messaging', max: 2 * DELIVERY_STORE_CONNECTIONS, log }); // half for the system role, which stores them
  const deliveryStored = createSignal();
  const clients = createClients(transportTo);
  const allowPrivate = settings.NODE_ENV === 'development';
  return {
    ...clients,
    db,
    deliveryStore: createDeliveryStore(deliveries, settings.ENCRYPTION_KEYS, deliveryStored.notify),
    clock,
    log,
    constraints: { canned_replies_title_unique: 'CANNED_REPLY_EXISTS' },
    keys: settings.ENCRYPTION_KEYS,
    publicUrl: settings.PUBLIC_URL,
    chat: createChatProvider(settings.CHAT_API_BASE_URL, settings.CHAT_API_VERSION, settings.CHAT_MEDIA_HOSTS),
    mailer: createMailer({ smtpUrl: settings.SMTP_URL, from: settings.MAIL_FROM, folder: path.join(settings.DATA_DIR, 'mail') }),
    dataDir: settings.DATA_DIR,
    clinics: createClinics(clients.identity.access, clock),
    activeFaqs: createFaqReader(db),
    phoneTexts: createPhoneTextsReader(db),
    assistant: createAssistant(settings),
    deliveryStored,
    turnsWaiting: createSignal(),
    toSend: createSignal(),
    webhooks: { post: createPost({ allowPrivate }), allowPrivate, due: createSignal() },
  };
}

function createAssistant(settings: Settings): App['assistant'] {
  const { ASSISTANT_BASE_URL: baseUrl, ASSISTANT_API_KEY: apiKey, ASSISTANT_MODEL: model } = settings;
  const timeoutMs = settings.ASSISTANT_TIMEOUT_SECONDS * 1000;
  return {
    model: baseUrl ? createModel({ baseUrl, apiKey, model, silenceMs: timeoutMs / 3 }) : undefined,
    tokensPerDay: settings.ASSISTANT_DAILY_TOKENS,
    timeoutMs,
  };
}
