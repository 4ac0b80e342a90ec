// A language for talks. A line says what happens or what is expected:
//   > text            the patient writes
//   > [title]         the patient presses the newest button or row of that title
//   > {image}         the patient sends something that is no text
//   < text            the bot's one answer has this text in it, and with [a] [b] these buttons or rows
//   < -               the bot says nothing
//   @ 31m | 2h        time passes
//   ! words           something happens: see `events`
//   = words           something is so: see `facts`
import { randomUUID } from 'node:crypto';
import { fail } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { manualClock } from '@clinic/lib/runtime/clock.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asAdmin, asService, asUser } from '@clinic/lib/testing/callers.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ChatEventService } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { FaqService } from '@clinic/proto/messaging/v1/faq_pb.js';
import { expect } from '@jest/globals';
import pg from 'pg';
import messaging from '../service.ts';
import { fakeScheduling } from './fake-scheduling.ts';
import { envelope } from './messaging.ts';

/** A Monday, eight in the morning in San Salvador. */
export const MONDAY = new Date('2026-06-01T14:00:00Z');
const FEATURES = ['chat_bot', 'reminders'];
const MINUTE = 60_000;

export async function startBot() {
  const clock = manualClock(MONDAY);
  const scheduling = fakeScheduling(clock);
  const log = createLog('test', 'silent');
  const resolved = {
    name: 'Sonrisa',
    isActive: true,
    plan: 'clinica',
    clinicType: 'dental',
    timezone: 'America/El_Salvador',
    country: 'SV',
  };
  /** Features of clinics that do not have all. */
  const features = new Map<string, string[]>();
  const none = async () => fail('NOT_FOUND');
  const access = Object.fromEntries(AccessService.methods.map(({ localName }) => [localName, none]));
  const recall = Object.fromEntries(RecallService.methods.map(({ localName }) => [localName, none]));
  const identity = localTransport([
    implement({ log, constraints: {} }, AccessService, {
      ...access,
      resolveClinic: async (_app: unknown, { clinicId }: { clinicId: string }) => ({ ...resolved, clinicId, features: features.get(clinicId) ?? FEATURES }),
    } as never),
  ]);
  const payments = Object.fromEntries(PaymentPlanService.methods.map(({ localName }) => [localName, none]));
  /** The payment plan that dental knows. */
  const plan: { known?: object } = {};
  const dental = localTransport([
    implement({ log, constraints: {} }, RecallService, recall as never),
    implement({ log, constraints: {} }, PaymentPlanService, { ...payments, getPaymentPlan: async () => plan.known ?? fail('NOT_FOUND') } as never),
  ]);
  const neighbours = { identity, scheduling: scheduling.transport, dental, platform: localTransport([]) };
  const service = await testService(messaging, { clock, dependencies: neighbours });
  const owner = new pg.Pool({ connectionString: service.database.ownerUrl, max: 2, options: '-c search_path=messaging' });
  owner.on('error', () => {}); // the database is dropped by force
  const look = async (text: string, values: unknown[] = []) => (await owner.query(text, values)).rows;
  const events = service.client(ChatEventService);
  const conversations = service.client(ConversationService);
  let numbers = 0;
  let phones = 70_000_000;

  /** A clinic with two doctors and a bot. Its messages are stored and never sent: nobody is there to take them. */
  async function clinic({ doctors = ['Dra. Ana Rivas', 'Dr. Luis Paz'] } = {}) {
    const id = randomUUID();
    const numberId = `bot-${process.pid}-${++numbers}`;
    await look(`insert into channels (clinic_id, status, phone_number_id, proven_number_id, bot_enabled) values ($1, 'active', $2, $2, true)`, [id, numberId]);
    for (const fullName of doctors) scheduling.doctors.push({ clinicId: id, id: randomUUID(), fullName });
    return { id, numberId, user: asUser(id), admin: asAdmin(id) };
  }
  const deliver = (body: unknown) => events.receiveChatEvent({ body: Buffer.from(JSON.stringify(body)) }, asService('gateway'));
  const settled = () =>
    waitFor(async () => {
      const [open] = await look(`select (select count(*) from chat_events where status = 'received')::int
        + (select count(*) from messages where direction = 'in' and handled_at is null)::int as n`);
      return open.n === 0;
    });
  const thread = async (clinicId: string, phone: string): Promise<{ id: string; direction: string; content: Content }[]> =>
    look(
      `select m.id, m.direction, m.content from messages m join conversations c on c.clinic_id = m.clinic_id and c.id = m.conversation_id
       where c.clinic_id = $1 and c.phone = $2 order by m.seq`,
      [clinicId, phone],
    );
  const talks = {
    service,
    neighbours,
    features,
    plan,
    clock,
    scheduling,
    look,
    clinic,
    deliver,
    settled,
    thread,
    conversations,
    faqs: service.client(FaqService),
    phone: () => `+503${++phones}`,
    async stop() {
      await owner.end();
      await service.stop();
    },
  };
  return talks;
}

export type BotFixture = Awaited<ReturnType<typeof startBot>>;
type Clinic = Awaited<ReturnType<BotFixture['clinic']>>;
type Content = { text?: string; choices?: { id: string; title: string }[] };

let messageCount = 0;
/** A message of a phone as the provider delivers it. */
export function message(
  numberId: string,
  phone: string,
  what: { text?: string; choice?: { id: string; title: string }; type?: string },
  id = `wamid.b.${process.pid}.${++messageCount}`,
) {
  const from = phone.slice(1);
  const { text, choice, type = 'image' } = what;
  const body = choice
    ? { type: 'interactive', interactive: { type: 'button_reply', button_reply: choice } }
    : text === undefined
      ? { type, [type]: { id: 'media-1', mime_type: 'image/jpeg' } }
      : { type: 'text', text: { body: text } };
  return envelope({
    metadata: { phone_number_id: numberId, display_phone_number: '50322221234' },
    contacts: [{ profile: { name: 'Lucía' }, wa_id: from }],
    messages: [{ from, id, timestamp: String(Math.floor(MONDAY.getTime() / 1000)), ...body }],
  });
}

export type ScriptState = { bot: BotFixture; clinic: Clinic; phone: string };

/** Walks through a talk. Throws at the line that is not as it should be. */
export async function runScript(talks: BotFixture, script: string, given?: Partial<ScriptState>): Promise<ScriptState> {
  talks.clock.set(MONDAY);
  talks.scheduling.state.closed.clear();
  const journey = { bot: talks, clinic: given?.clinic ?? (await talks.clinic()), phone: given?.phone ?? talks.phone() };
  const { clinic, phone } = journey;
  let seen = (await talks.thread(clinic.id, phone)).length;
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
  return journey;

  async function follow(sign: string, rest: string) {
    switch (sign) {
      case '>':
        await say(rest);
        return;
      case '<':
        return hear(rest);
      case '@': {
        const [, amount, unit] = /^(\d+)(m|h|d)$/.exec(rest) ?? [];
        talks.clock.advance(Number(amount) * { m: MINUTE, h: 60 * MINUTE, d: 24 * 60 * MINUTE }[unit as 'm' | 'h' | 'd']);
        return;
      }
      case '!':
        return happen(rest);
      case '=':
        return check(rest);
      default:
        throw new Error('not a line of this language');
    }
  }
  async function say(rest: string) {
    const pressed = /^\[(.+)\]$/.exec(rest)?.[1];
    const file = /^\{(.+)\}$/.exec(rest)?.[1];
    seen = (await talks.thread(clinic.id, phone)).length + 1;
    if (file) await talks.deliver(message(clinic.numberId, phone, { type: file }));
    else if (pressed) await talks.deliver(message(clinic.numberId, phone, { choice: await choiceOf(pressed) }));
    else await talks.deliver(message(clinic.numberId, phone, { text: rest }));
    await talks.settled();
  }
  async function choiceOf(title: string) {
    const offered = (await talks.thread(clinic.id, phone)).flatMap(({ content }) => content.choices ?? []);
    const choice = offered.findLast((one) => one.title === title);
    if (!choice) throw new Error(`no [${title}] among ${offered.map((one) => `[${one.title}]`).join(' ')}`);
    return choice;
  }
  async function hear(rest: string) {
    const answers = (await talks.thread(clinic.id, phone)).slice(seen);
    if (rest === '-') return expect(answers.map(({ content }) => content.text)).toEqual([]);
    expect(answers.map(({ direction }) => direction)).toEqual(['out']);
    const { text = '', choices = [] } = answers[0]?.content ?? {};
    const wanted = [...rest.matchAll(/\[([^\]]+)\]/g)].map(([, title]) => title);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(rest.replaceAll(/\[[^\]]+\]/g, '').trim());
    expect(choices.map(({ title }) => title)).toEqual(expect.arrayContaining(wanted));
  }
  async function happen(what: string) {
    const [verb, ...words] = what.split(' ');
    const [doctor] = talks.scheduling.doctors.filter(({ clinicId }) => clinicId === clinic.id);
    const [date = '', time = ''] = words;
    switch (verb) {
      case 'takeover':
        await talks.conversations.takeOver({ phone }, clinic.user);
        return;
      case 'release':
        await talks.conversations.release({ phone }, clinic.user);
        return;
      case 'bot':
        await talks.look('update channels set bot_enabled = $2 where clinic_id = $1', [clinic.id, words[0] === 'on']);
        return;
      case 'faq': {
        const [keywords = '', answer = ''] = words.join(' ').split(': ');
        await talks.faqs.createFaq({ category: 'general', question: `¿${answer}?`, answer, keywords: keywords.split(',') }, clinic.user);
        return;
      }
      case 'known': {
        talks.scheduling.patient(clinic.id, phone, words.join(' '));
        return;
      }
      case 'visit': {
        const { id: patientId } = talks.scheduling.patient(clinic.id, phone, words.slice(2).join(' ') || 'Rosa Díaz');
        talks.scheduling.book({ clinicId: clinic.id, doctorId: doctor?.id ?? '', patientId, date, time, source: 'manual' });
        return;
      }
      case 'rival': {
        const { id: patientId } = talks.scheduling.patient(clinic.id, '+50379999999', 'Otra Persona');
        talks.scheduling.book({ clinicId: clinic.id, doctorId: doctor?.id ?? '', patientId, date, time, source: 'manual' });
        return;
      }
      case 'offer': {
        const { id: patientId } = talks.scheduling.patient(clinic.id, phone, 'Rosa Díaz');
        const offer = { clinicId: clinic.id, entryId: randomUUID(), offerId: randomUUID(), patientId, doctorId: doctor?.id ?? '', date, time, open: true };
        talks.scheduling.offers.push(offer);
        await asked('waitlist', `${offer.entryId}/${offer.offerId}`);
        return;
      }
      case 'closed':
        talks.scheduling.state.closed.add(date);
        return;
      case 'offer-over':
        for (const offer of talks.scheduling.offers) offer.open = false;
        return;
      case 'reminder': {
        const visit = talks.scheduling.booked.findLast(({ clinicId }) => clinicId === clinic.id);
        await asked('appointment_reminder', `${visit?.id}/day/1`);
        return;
      }
      case 'recall':
        await asked('recall', randomUUID());
        return;
      default:
        throw new Error('no such event');
    }
  }
  /** As if a message of ours had gone out. */
  function asked(kind: string, reference: string) {
    return talks.look(
      `insert into outbound (clinic_id, id, kind, reference, phone, sender, content, state, next_attempt_at, claimed_at, created_at, updated_at)
       values ($1, $2, $3, $4, $5, 'system', '{}', 'delivered', $6, $6, $6, $6)`,
      [clinic.id, randomUUID(), kind, reference, phone, talks.clock.now()],
    );
  }
  async function check(what: string) {
    const [noun, ...words] = what.split(' ');
    const rest = words.join(' ');
    const own = talks.scheduling.patients.filter((one) => one.clinicId === clinic.id && one.phone === phone);
    switch (noun) {
      case 'visits': {
        const mine = talks.scheduling.booked.filter(({ patientId }) => own.some(({ id }) => id === patientId));
        const shown = mine.map(({ date, time, status, source }) => `${date} ${time} ${status} ${source}`).join(', ');
        return expect(shown).toBe(rest === 'none' ? '' : rest);
      }
      case 'name':
        return expect(own[0]?.fullName).toBe(rest);
      case 'notes':
        return expect(talks.scheduling.booked.findLast(({ clinicId }) => clinicId === clinic.id)?.notes).toBe(rest);
      case 'drafts':
        return expect(talks.scheduling.drafts().filter(({ clinicId }) => clinicId === clinic.id)).toHaveLength(Number(rest));
      case 'opted-out':
        return expect(String(own[0]?.recallOptedOut)).toBe(rest);
      case 'mode': {
        const { conversations } = await talks.conversations.listConversations({}, clinic.user);
        return expect(conversations.find((one) => one.phone === phone)?.mode).toBe(rest);
      }
      default:
        throw new Error('no such fact');
    }
  }
}
