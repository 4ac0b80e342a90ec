// Scripts of conversations with the bot. Each line is an event or an expectation:
//   > text            the patient writes
//   > [title]         the patient presses the newest button or row of that title
//   > {image} text    the patient sends a message of this type, with a caption
//   < text            the bot's only reply contains this text, and with [a] ![b] the button or row a and not b
//   < -               the bot does not reply
//   @ 31m | 2h        time passes
//   ! words           an event, see happen()
//   = words           an expectation about stored data, see check()
import { randomUUID } from 'node:crypto';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { asAdmin, asService, asUser } from '@clinic/lib/testing/callers.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { ChatEventService } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { FaqService } from '@clinic/proto/messaging/v1/faq_pb.js';
import { afterAll, expect } from '@jest/globals';
import messaging from '../service.ts';
import { fakeScheduling } from './fake-scheduling.ts';
import { envelope } from './messaging.ts';
import { connectOwner } from './owner.ts';
import { type Answers, CLINIC, standIn } from './stand-ins.ts';

/** A Monday, eight in the morning in San Salvador. */
export const MONDAY = new Date('2026-06-01T14:00:00Z');
const FEATURES = ['chat_bot', 'reminders'];
const MINUTE = 60_000;

export async function startBot() {
  const clock = manualClock(MONDAY);
  const scheduling = fakeScheduling(clock);
  /** Features by clinic, instead of FEATURES. */
  const features = new Map<string, string[]>();
  /** When the subscriptions of clinics expire; others do not. */
  const expiries = new Map<string, Date>();
  /** The payment plan that dental returns. */
  const plan: { known?: object } = {};
  const answers: Answers = {
    resolveClinic: ({ clinicId }) => ({
      ...CLINIC,
      clinicId,
      features: features.get(clinicId) ?? FEATURES,
      subscriptionExpiresAt: toTimestamp(expiries.get(clinicId) ?? null),
    }),
    getClinicProfile: () => ({ currency: 'GTQ' }),
    getPaymentPlan: () => plan.known,
  };
  const dependencies = {
    identity: standIn(answers, AccessService, ClinicProfileService),
    scheduling: scheduling.transport,
    dental: standIn(answers, RecallService, PaymentPlanService),
    platform: standIn(answers),
  };
  const service = await testService(messaging, { clock, dependencies });
  const { look, settled, disconnect } = connectOwner(service);
  const events = service.client(ChatEventService);
  const conversations = service.client(ConversationService);
  let numbers = 0;
  let phones = 70_000_000;

  /** A clinic with two doctors and the bot. Its messages are stored and never sent, since it has no access token. */
  async function clinic({ doctors = ['Dra. Ana Rivas', 'Dr. Luis Paz'] } = {}) {
    const id = randomUUID();
    const numberId = `bot-${process.pid}-${++numbers}`;
    await look(`insert into channels (clinic_id, status, phone_number_id, proven_number_id, bot_enabled) values ($1, 'active', $2, $2, true)`, [id, numberId]);
    for (const fullName of doctors) scheduling.doctors.push({ clinicId: id, id: randomUUID(), fullName });
    return { id, numberId, user: asUser(id), admin: asAdmin(id) };
  }
  const deliver = (body: unknown) => events.receiveChatEvent({ body: Buffer.from(JSON.stringify(body)) }, asService('gateway'));
  /** Waits until an attempt of a turn of the clinic has failed. */
  const failedTurn = (clinicId: string) => waitFor(async () => (await look('select from turns where clinic_id = $1 and attempts > 0', [clinicId])).length > 0);
  const messagesOf = async (clinicId: string, phone: string): Promise<{ id: string; direction: string; content: Content }[]> =>
    look(
      `select m.id, m.direction, m.content from messages m join conversations c on c.clinic_id = m.clinic_id and c.id = m.conversation_id
       where c.clinic_id = $1 and c.phone = $2 order by m.seq`,
      [clinicId, phone],
    );
  const bot = {
    service,
    dependencies,
    features,
    expiries,
    plan,
    clock,
    scheduling,
    look,
    clinic,
    deliver,
    settled,
    failedTurn,
    messagesOf,
    conversations,
    faqs: service.client(FaqService),
    phone: () => `+503${++phones}`,
    async stop() {
      await disconnect();
      await service.stop();
    },
  };
  return bot;
}

type BotFixture = Awaited<ReturnType<typeof startBot>>;

/** startBot() for the tests of a file, which share it. */
export async function useBot(): Promise<BotFixture> {
  const bot = await startBot();
  afterAll(() => bot.stop());
  return bot;
}

type Clinic = Awaited<ReturnType<BotFixture['clinic']>>;
type Content = { text?: string; choices?: { id: string; title: string }[] };

let messageCount = 0;
/** A message of a phone as the provider delivers it. */
export function message(
  numberId: string,
  phone: string,
  what: { text?: string; choice?: { id: string; title: string }; type?: string; caption?: string },
  id = `wamid.b.${process.pid}.${++messageCount}`,
  at = MONDAY,
  profileName = 'Lucía',
) {
  const from = phone.slice(1);
  const { text, choice, type = 'image', caption } = what;
  const body = choice
    ? { type: 'interactive', interactive: { type: 'button_reply', button_reply: choice } }
    : text === undefined
      ? { type, [type]: { id: 'media-1', mime_type: 'image/jpeg', caption } }
      : { type: 'text', text: { body: text } };
  return envelope({
    metadata: { phone_number_id: numberId, display_phone_number: '50322221234' },
    contacts: [{ profile: { name: profileName }, wa_id: from }],
    messages: [{ from, id, timestamp: String(Math.floor(at.getTime() / 1000)), ...body }],
  });
}

type ScriptState = { bot: BotFixture; clinic: Clinic; phone: string; profileName?: string };

/** Runs a script. Throws at the first line whose expectation fails. */
export async function runScript(bot: BotFixture, script: string, initial?: Partial<ScriptState>): Promise<ScriptState> {
  bot.clock.set(MONDAY);
  bot.scheduling.state.closed.clear();
  bot.scheduling.state.off.clear();
  const state = { bot, clinic: initial?.clinic ?? (await bot.clinic()), phone: initial?.phone ?? bot.phone() };
  const { clinic, phone } = state;
  let seen = (await bot.messagesOf(clinic.id, phone)).length;
  for (const [index, raw] of script.split('\n').entries()) {
    const line = raw.trim();
    if (line === '') continue;
    try {
      await follow(line[0] ?? '', line.slice(1).trim());
    } catch (error) {
      (error as Error).message = `line ${index}: ${line}\n${(error as Error).message}`;
      throw error;
    }
  }
  return state;

  async function follow(sign: string, rest: string) {
    switch (sign) {
      case '>':
        await write(rest);
        return;
      case '<':
        return expectReply(rest);
      case '@': {
        const [, amount, unit] = /^(\d+)(m|h|d)$/.exec(rest) ?? [];
        bot.clock.advance(Number(amount) * { m: MINUTE, h: 60 * MINUTE, d: 24 * 60 * MINUTE }[unit as 'm' | 'h' | 'd']);
        return;
      }
      case '!':
        return happen(rest);
      case '=':
        return check(rest);
      default:
        throw new Error('unknown kind of line');
    }
  }
  async function write(rest: string) {
    const pressed = /^\[(.+)\]$/.exec(rest)?.[1];
    const [, file, caption] = /^\{(\w+)\}(?: (.+))?$/.exec(rest) ?? [];
    seen = (await bot.messagesOf(clinic.id, phone)).length + 1;
    const what = file ? { type: file, ...(caption && { caption }) } : pressed ? { choice: await choiceOf(pressed) } : { text: rest };
    await bot.deliver(message(clinic.numberId, phone, what, undefined, bot.clock.now(), initial?.profileName));
    await bot.settled();
  }
  async function choiceOf(title: string) {
    const offered = (await bot.messagesOf(clinic.id, phone)).flatMap(({ content }) => content.choices ?? []);
    const choice = offered.findLast((one) => one.title === title);
    if (!choice) throw new Error(`no [${title}] among ${offered.map((one) => `[${one.title}]`).join(' ')}`);
    return choice;
  }
  async function expectReply(rest: string) {
    const answers = (await bot.messagesOf(clinic.id, phone)).slice(seen);
    if (rest === '-') return expect(answers.map(({ content }) => content.text)).toEqual([]);
    expect(answers.map(({ direction }) => direction)).toEqual(['out']);
    const { text = '', choices = [] } = answers[0]?.content ?? {};
    const titles = choices.map(({ title }) => title);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(rest.replaceAll(/!?\[[^\]]+\]/g, '').trim());
    const namedBy = (pattern: RegExp) => [...rest.matchAll(pattern)].map(([, title]) => title);
    expect(titles).toEqual(expect.arrayContaining(namedBy(/(?<!!)\[([^\]]+)\]/g)));
    for (const title of namedBy(/!\[([^\]]+)\]/g)) expect(titles).not.toContain(title);
  }
  async function happen(what: string) {
    const [verb, ...words] = what.split(' ');
    const [doctor] = bot.scheduling.doctors.filter(({ clinicId }) => clinicId === clinic.id);
    const [date = '', time = ''] = words;
    switch (verb) {
      case 'takeover':
        await bot.conversations.takeOver({ phone }, clinic.user);
        return;
      case 'writes': {
        // The clinic's chat application on another device, since the clinic has no access token.
        const echo = { id: `wamid.e.${process.pid}.${++messageCount}`, to: phone.slice(1), type: 'text', text: { body: words.join(' ') } };
        const timestamp = String(Math.floor(bot.clock.now().getTime() / 1000));
        await bot.deliver(envelope({ metadata: { phone_number_id: clinic.numberId }, message_echoes: [{ ...echo, from: 'x', timestamp }] }));
        await bot.settled();
        return;
      }
      case 'release':
        await bot.conversations.release({ phone }, clinic.user);
        return;
      case 'doctor':
        bot.scheduling.doctors.push({ clinicId: clinic.id, id: randomUUID(), fullName: words.join(' ') });
        return;
      case 'expired':
        bot.expiries.set(clinic.id, bot.clock.now());
        return;
      case 'renewed':
        bot.expiries.delete(clinic.id);
        return;
      case 'features':
        bot.features.set(clinic.id, words);
        return;
      case 'bot':
        await bot.look('update channels set bot_enabled = $2 where clinic_id = $1', [clinic.id, words[0] === 'on']);
        return;
      case 'faq': {
        const [keywords = '', answer = ''] = words.join(' ').split(': ');
        await bot.faqs.createFaq({ category: 'general', question: `¿${answer}?`, answer, keywords: keywords.split(',') }, clinic.user);
        return;
      }
      case 'known': {
        bot.scheduling.patient(clinic.id, phone, words.join(' '));
        return;
      }
      case 'dependant': {
        const guardian = bot.scheduling.patients.find((one) => one.clinicId === clinic.id && one.phone === phone);
        const dependant = { clinicId: clinic.id, id: randomUUID(), fullName: words.join(' '), phone: '', recallOptedOut: false };
        bot.scheduling.patients.push({ ...dependant, ...(guardian && { guardianId: guardian.id }) });
        return;
      }
      case 'appointment': {
        const { id: patientId } = bot.scheduling.patient(clinic.id, phone, words.slice(2).join(' ') || 'Rosa Díaz');
        bot.scheduling.book({ clinicId: clinic.id, doctorId: doctor?.id ?? '', patientId, date, time, source: 'manual' });
        return;
      }
      case 'pending': {
        for (const one of bot.scheduling.booked) if (one.clinicId === clinic.id) one.status = 'pending';
        return;
      }
      case 'other-patient': {
        const { id: patientId } = bot.scheduling.patient(clinic.id, '+50379999999', 'Otra Persona');
        bot.scheduling.book({ clinicId: clinic.id, doctorId: doctor?.id ?? '', patientId, date, time, source: 'manual' });
        return;
      }
      case 'offer': {
        const { id: patientId } = bot.scheduling.patient(clinic.id, phone, 'Rosa Díaz');
        const offer = { clinicId: clinic.id, entryId: randomUUID(), offerId: randomUUID(), patientId, doctorId: doctor?.id ?? '', date, time, open: true };
        bot.scheduling.offers.push(offer);
        await storeSent('waitlist', `${offer.entryId}/${offer.offerId}`);
        return;
      }
      case 'type': {
        const name = words.slice(1).join(' ');
        bot.scheduling.types.push({ clinicId: clinic.id, id: randomUUID(), name, durationMinutes: Number(words[0]), doctorIds: [] });
        return;
      }
      case 'only-of': {
        const [name = '', of = ''] = words;
        const offering = bot.scheduling.doctors.find((one) => one.clinicId === clinic.id && one.fullName.endsWith(of));
        bot.scheduling.types.find((one) => one.clinicId === clinic.id && one.name === name)?.doctorIds.push(offering?.id ?? '');
        return;
      }
      case 'closed':
        bot.scheduling.state.closed.add(date);
        return;
      case 'off':
        bot.scheduling.state.off.add(date);
        return;
      case 'booked-out':
        bot.scheduling.state.booked.add(clinic.id);
        return;
      case 'freed':
        bot.scheduling.state.booked.delete(clinic.id);
        bot.scheduling.state.closed.clear();
        return;
      case 'strict':
        bot.scheduling.state.strict.add(clinic.id);
        return;
      case 'offer-over':
        for (const offer of bot.scheduling.offers) offer.open = false;
        return;
      case 'reminder': {
        const appointment = bot.scheduling.booked.findLast(({ clinicId }) => clinicId === clinic.id);
        await storeSent('appointment_reminder', `${appointment?.id}/day/1`);
        return;
      }
      case 'recall':
        await storeSent('recall', randomUUID());
        return;
      default:
        throw new Error('unknown event');
    }
  }
  /** Stores a message as if it had been sent. */
  async function storeSent(kind: string, reference: string) {
    const conversation = 'insert into conversations (clinic_id, id, phone) values ($1, $2, $3) on conflict on constraint conversations_phone_unique do nothing';
    await bot.look(conversation, [clinic.id, randomUUID(), phone]);
    await bot.look(
      `with sent as (insert into outbound (clinic_id, id, kind, reference, phone, sender, content, state, next_attempt_at, claimed_at, created_at, updated_at)
         values ($1, $2, $3, $4, $5, 'system', '{}', 'delivered', $6, $6, $6, $6))
       insert into messages (clinic_id, id, conversation_id, direction, sender, type, content, status, created_at)
       select $1, $2, id, 'out', 'system', 'text', '{"text": "Enviado"}', 'delivered', $6 from conversations where clinic_id = $1 and phone = $5`,
      [clinic.id, randomUUID(), kind, reference, phone, bot.clock.now()],
    );
  }
  async function check(what: string) {
    const [noun, ...words] = what.split(' ');
    const rest = words.join(' ');
    const own = bot.scheduling.patients.filter((one) => one.clinicId === clinic.id && one.phone === phone);
    switch (noun) {
      case 'appointments': {
        const mine = bot.scheduling.booked.filter(({ patientId }) => own.some(({ id }) => id === patientId));
        const shown = mine.map(({ date, time, status, source }) => `${date} ${time} ${status} ${source}`).join(', ');
        return expect(shown).toBe(rest === 'none' ? '' : rest);
      }
      case 'coming': {
        const coming = bot.scheduling.booked.filter(({ clinicId, isPatientComing }) => clinicId === clinic.id && isPatientComing);
        return expect(coming.map(({ date, time }) => `${date} ${time}`).join(', ') || 'none').toBe(rest);
      }
      case 'booked-for': {
        const last = bot.scheduling.booked.findLast(({ clinicId }) => clinicId === clinic.id);
        return expect(bot.scheduling.patients.find(({ id }) => id === last?.patientId)?.fullName).toBe(rest);
      }
      case 'name':
        return expect(own[0]?.fullName).toBe(rest);
      case 'notes':
        return expect(bot.scheduling.booked.findLast(({ clinicId }) => clinicId === clinic.id)?.notes).toBe(rest);
      case 'type': {
        const last = bot.scheduling.booked.findLast(({ clinicId }) => clinicId === clinic.id);
        return expect(bot.scheduling.types.find(({ id }) => id === last?.typeId)?.name ?? 'none').toBe(rest);
      }
      case 'drafts':
        return expect(bot.scheduling.drafts().filter(({ clinicId }) => clinicId === clinic.id)).toHaveLength(Number(rest));
      case 'waiting': {
        const shown = bot.scheduling.waiting
          .filter(({ clinicId }) => clinicId === clinic.id)
          .map(({ patientId, doctorId, dateFrom, dateTo, typeId, notes }) => {
            const patient = bot.scheduling.patients.find(({ id }) => id === patientId);
            const doctorName = bot.scheduling.doctors.find(({ id }) => id === doctorId)?.fullName;
            const type = bot.scheduling.types.find(({ id }) => id === typeId)?.name;
            return [patient?.fullName, doctorName, dateFrom, dateTo, type, notes].filter(Boolean).join(' | ');
          });
        return expect(shown.join(', ') || 'none').toBe(rest);
      }
      case 'opted-out':
        return expect(String(own[0]?.recallOptedOut)).toBe(rest);
      case 'mode': {
        const { conversations } = await bot.conversations.listConversations({}, clinic.user);
        const own = conversations.find((one) => one.phone === phone);
        return expect([own?.mode, own?.handoverReason].filter(Boolean).join(' ')).toBe(rest);
      }
      default:
        throw new Error('unknown expectation');
    }
  }
}
