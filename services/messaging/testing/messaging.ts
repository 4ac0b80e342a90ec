// A running messaging service with fakes of the chat provider and of the services that it calls.
import { randomUUID } from 'node:crypto';
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { transportFrom } from '@clinic/lib/rpc/context.ts';
import { asAdmin, asService, asUser } from '@clinic/lib/testing/callers.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { ChatEventService } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { OutboundService } from '@clinic/proto/messaging/v1/outbound_pb.js';
import { DemoRequestService } from '@clinic/proto/platform/v1/demo_request_pb.js';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { createClient, type Transport } from '@connectrpc/connect';
import messaging from '../service.ts';
import { startFakeChatProvider } from './fake-chat-provider.ts';
import { connectOwner } from './owner.ts';
import { type Answers, CLINIC, standIn } from './stand-ins.ts';

type Options = { clock?: Clock; settings?: Record<string, string>; scheduling?: Transport };

export async function startMessaging({ settings, scheduling, ...options }: Options = {}) {
  const provider = await startFakeChatProvider();
  /** The responses of other services by method. */
  const answers: Answers = {
    resolveClinic: ({ clinicId }: { clinicId: string }) => ({ ...CLINIC, features: [], clinicId }),
    findPatientByPhone: () => ({}),
    listUsers: () => ({ users: [], total: 0 }),
  };
  const dependencies = {
    identity: standIn(answers, AccessService, UserService, ClinicProfileService),
    scheduling: scheduling ?? standIn(answers, LookupService, AppointmentService, DoctorService, WaitlistService),
    dental: standIn(answers, RecallService, PaymentPlanService),
    platform: standIn(answers, DemoRequestService),
  };
  const service = await testService(messaging, {
    dependencies,
    settings: { CHAT_API_BASE_URL: provider.url, ...settings },
    ...options,
  });
  // Identity calls these two methods, because the chat settings are part of the clinic's settings.
  const { getChannelSettings, updateChannelSettings } = createClient(ChannelService, transportFrom('identity', service.transport));
  const channels = { ...service.client(ChannelService), getChannelSettings, updateChannelSettings };
  const events = service.client(ChatEventService);
  const conversations = service.client(ConversationService);
  const outbound = service.client(OutboundService);
  const { look, settled, disconnect } = connectOwner(service);
  let numbers = 0;

  /** A clinic with an active, proven number. */
  async function clinic() {
    const id = randomUUID();
    const numberId = `pn-${process.pid}-${++numbers}`;
    const given = { chatPhoneNumberId: numberId, chatBusinessAccountId: 'waba', chatAccessToken: 'EAAGtoken-of-the-tests' };
    await channels.updateChannelSettings(given, asAdmin(id));
    await channels.verifyChannelOtp({ code: '123456' }, asAdmin(id)).catch(() => {}); // fails if the job was faster
    await waitFor(async () => (await channels.getChannelStatus({}, asAdmin(id))).status === 'active');
    return { id, numberId, user: asUser(id), admin: asAdmin(id) };
  }
  const deliver = (body: unknown) => events.receiveChatEvent({ body: bytesOf(body) }, asService('gateway'));
  return {
    service,
    provider,
    answers,
    dependencies,
    channels,
    events,
    conversations,
    outbound,
    clinic,
    deliver,
    look,
    settled,
    async stop() {
      await disconnect();
      await service.stop();
      await provider.stop();
    },
  };
}

export type Messaging = Awaited<ReturnType<typeof startMessaging>>;

const bytesOf = (body: unknown) => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

type ReceivedText = { id?: string; text?: string; at?: number };
let textCount = 0;

/** A delivery of text messages from one phone; by default one message with the text Hola. */
export function delivery(numberId: string, from: string, ...texts: ReceivedText[]) {
  const messages: ReceivedText[] = texts.length > 0 ? texts : [{}];
  const contacts = [{ profile: { name: 'Lucía' }, wa_id: from }];
  const listed = messages.map(({ id = `wamid.${process.pid}.${++textCount}`, text = 'Hola', at = Math.floor(Date.now() / 1000) }) => ({
    from,
    id,
    timestamp: String(at),
    type: 'text',
    text: { body: text },
  }));
  return envelope({ metadata: { phone_number_id: numberId, display_phone_number: '50322221234' }, contacts, messages: listed });
}

export const statusDelivery = (numberId: string, status: Record<string, unknown>) =>
  envelope({ metadata: { phone_number_id: numberId }, statuses: [{ timestamp: String(Math.floor(Date.now() / 1000)), ...status }] });

export const envelope = (value: unknown) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: 'waba', changes: [{ field: 'messages', value }] }],
});
