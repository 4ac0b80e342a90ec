// Replays recorded deliveries and describes the resulting conversations and appointments as the staff see them.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { asAdmin, asUser } from '@clinic/lib/testing/callers.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { FaqService } from '@clinic/proto/messaging/v1/faq_pb.js';
import { fakeScheduling } from './fake-scheduling.ts';
import { startMessaging } from './messaging.ts';
import { CLINIC } from './stand-ins.ts';

/** The initial data: the patient of the phone, a dependant, an appointment, whether its reminder was sent, and an FAQ entry. */
type InitialData = {
  known?: string;
  dependant?: string;
  appointment?: [date: string, time: string];
  reminder?: true;
  faq?: { keywords: string[]; answer: string };
};
/**
 * Deliveries of one or several phones, independent of the other stories. A delivery has entries, which have values. `$number` and `$other` are
 * the numbers of two clinics, `$choice:x` is the id of the newest button or row with the title x, and `$sent:n` the provider's id of the n-th
 * message of the bot.
 */
type Story = { name: string; phone: string; given: InitialData; deliveries: unknown[][][] };
/** An order of the deliveries, of which about half arrive twice. `stories`: only this many stories are replayed. */
type Order = { seed: number; shuffled: boolean; stories?: number };

const HOUR_MS = 3_600_000;
const FOLDER = path.join(import.meta.dirname, '../inbox/recorded');
const SAMPLES = path.join(import.meta.dirname, '../inbox/fixtures');

function readStories(): Story[] {
  const stories: Story[] = JSON.parse(readFileSync(path.join(FOLDER, 'deliveries.json'), 'utf8'));
  const samples = readdirSync(SAMPLES).filter((name) => /^(meta|synthetic)_/.test(name));
  const deliveries = samples.map((name) => {
    const numbers = { '106540352242922': '$number', '1122334455667': '$number', '9988776655443': '$other' };
    const text = Object.entries(numbers).reduce((all, [from, to]) => all.replaceAll(from, to), readFileSync(path.join(SAMPLES, name), 'utf8'));
    return JSON.parse(text).entry.map(({ changes }: { changes: { value: unknown }[] }) => changes.map(({ value }) => value));
  });
  return [...stories, { name: 'samples of the provider', phone: '16505551234', given: {}, deliveries }];
}

/** A generator of numbers from 0 to 1 that is determined by its seed (mulberry32). */
function randomFrom(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The indexes of the deliveries: shuffled if wanted, and about half of them repeated at a later place. */
function toOrder(count: number, shuffled: boolean, random: () => number): number[] {
  const numbers = Array.from({ length: count }, (_, index) => ({ index, place: shuffled ? random() : index }));
  const order = numbers.sort((a, b) => a.place - b.place).map(({ index }) => index);
  for (const one of [...order]) if (random() < 0.5) order.splice(order.indexOf(one) + 1 + Math.floor(random() * count), 0, one);
  return order;
}

export async function startReplays() {
  const clock = manualClock(new Date('2026-06-01T14:00:00Z'));
  const scheduling = fakeScheduling(clock);
  const m = await startMessaging({ clock, scheduling: scheduling.transport });
  m.answers.resolveClinic = ({ clinicId }: { clinicId: string }) => ({ ...CLINIC, features: ['chat_bot'], clinicId });
  const faqs = m.service.client(FaqService);

  async function clinic() {
    const id = randomUUID();
    const numberId = `number-${id}`;
    await m.channels.updateChannelSettings({ chatPhoneNumberId: numberId, chatAccessToken: 'token' }, asAdmin(id));
    await m.look("update channels set status = 'active', proven_number_id = phone_number_id, retry_at = null, bot_enabled = true where clinic_id = $1", [id]);
    for (const fullName of ['Dra. Ana Rivas', 'Dr. Luis Paz']) scheduling.doctors.push({ clinicId: id, id: randomUUID(), fullName });
    return { id, numberId, user: asUser(id) };
  }

  async function prepare({ name, phone: digits, given, deliveries }: Story, order: number[]) {
    const own = await clinic();
    const other = JSON.stringify(deliveries).includes('$other') ? await clinic() : undefined;
    const phone = `+${digits}`;
    if (given.faq) await faqs.createFaq({ category: 'general', question: '¿Dónde?', ...given.faq }, own.user);
    const patient = given.known ? scheduling.patient(own.id, phone, given.known) : undefined;
    if (patient && given.dependant)
      scheduling.patients.push({ clinicId: own.id, id: randomUUID(), fullName: given.dependant, phone: '', recallOptedOut: false, guardianId: patient.id });
    if (patient && given.appointment) {
      const [doctor] = scheduling.doctors.filter(({ clinicId }) => clinicId === own.id);
      const [date, time] = given.appointment;
      const { id } = scheduling.book({ clinicId: own.id, doctorId: doctor?.id ?? '', patientId: patient.id, date, time, source: 'manual' });
      if (given.reminder)
        await m.look(
          `insert into outbound (clinic_id, id, kind, reference, phone, sender, state, next_attempt_at, claimed_at, created_at, updated_at)
           values ($1, $2, 'appointment_reminder', $3, $4, 'system', 'delivered', $5, $5, $5, $5)`,
          [own.id, randomUUID(), `${id}/day/1`, phone, new Date(clock.now().getTime() - HOUR_MS)], // before the patient wrote
        );
    }
    return { name, own, other, phone, deliveries, order, bodies: new Map<number, unknown>() };
  }
  type Playing = Awaited<ReturnType<typeof prepare>>;

  const ofPhone = (column: string, { own, phone }: Playing, condition: string) =>
    m.look(
      `select ${column} as found from messages m join conversations c on c.clinic_id = m.clinic_id and c.id = m.conversation_id
       where c.clinic_id = $1 and c.phone = $2 and ${condition} order by m.seq`,
      [own.id, phone],
    );

  /** The body of a delivery, which is the same when the delivery is repeated. */
  async function bodyOf(playing: Playing, index: number) {
    const known = playing.bodies.get(index);
    if (known) return known;
    const choices = (await ofPhone("m.content->'choices'", playing, "m.content ? 'choices'")).flatMap(({ found }) => found as { id: string; title: string }[]);
    const sent = (await ofPhone('m.provider_id', playing, "m.sender = 'bot'")).map(({ found }) => found as string);
    const filled = JSON.stringify(playing.deliveries[index])
      .replaceAll('$number', playing.own.numberId)
      .replaceAll('$other', playing.other?.numberId ?? '')
      .replaceAll(/\$sent:(\d+)/g, (_, n) => sent[Number(n) - 1] ?? `wamid.none.${n}`)
      .replaceAll(/\$choice:([^"]+)/g, (_, title) => choices.findLast((one) => one.title === title)?.id ?? 'none');
    const entries = (JSON.parse(filled) as unknown[][]).map((values) => ({ id: 'waba', changes: values.map((value) => ({ field: 'messages', value })) }));
    const body = { object: 'whatsapp_business_account', entry: entries };
    playing.bodies.set(index, body);
    return body;
  }

  const settled = async () => {
    await m.settled();
    await waitFor(async () => {
      const [open] = await m.look("select count(*)::int as n from outbound where state in ('queued', 'sending') and next_attempt_at <= $1", [clock.now()]);
      return open.n === 0;
    });
  };

  async function show({ name, own, other }: Playing): Promise<string> {
    const lines = [`# ${name}`];
    for (const { id, user } of other ? [own, other] : [own]) {
      const { conversations } = await m.conversations.listConversations({}, user);
      for (const one of conversations.sort((a, b) => (a.phone < b.phone ? -1 : 1))) {
        const window = one.windowExpiresAt && timestampDate(one.windowExpiresAt).toISOString();
        lines.push(
          `${one.phone} ${one.patientName ?? '-'}: ${one.mode}, ${one.status}, ${one.unreadCount} unread, window ${window ?? '-'}, last: ${one.lastMessage}`,
        );
        const messages = (await m.conversations.listMessages({ phone: one.phone, limit: 500 }, user)).messages.reverse();
        for (const message of messages) {
          const { direction, sender, type, text, choices, status, error, replyTo, editedAt, revokedAt, media, location, newPhone, choiceId } = message;
          const marks = [
            media && `file ${media.mimeType} ${media.filename ?? ''}`.trim(),
            location && `at ${location.latitude} ${location.longitude}`,
            choiceId !== undefined && 'choice',
            newPhone && `now ${newPhone}`,
            replyTo && `about message ${messages.findIndex((other) => other.id === replyTo) + 1}`,
            editedAt && 'edited',
            revokedAt && 'deleted',
            error,
          ].filter(Boolean);
          const offered = choices.length > 3 ? `${choices.length} choices from [${choices[0]?.title}]` : choices.map(({ title }) => `[${title}]`).join(' ');
          const said = [JSON.stringify(text ?? null), offered].filter(Boolean).join(' ');
          lines.push(`  ${direction === 'in' ? '>' : '<'} ${sender} ${type} ${status}: ${said}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`);
        }
      }
      const patientOf = (patientId: string) => scheduling.patients.find((one) => one.id === patientId);
      const booked = scheduling.booked.filter(({ clinicId }) => clinicId === id);
      for (const { date, time, status, source, notes, patientId } of booked)
        lines.push(`  appointment ${date} ${time} ${status} ${source} of ${patientOf(patientId)?.fullName}${notes ? `: ${notes}` : ''}`);
      const drafts = scheduling.drafts().filter(({ clinicId }) => clinicId === id);
      for (const { date, time } of drafts) lines.push(`  held ${date} ${time}`);
      for (const one of scheduling.patients) if (one.clinicId === id && one.recallOptedOut) lines.push(`  ${one.fullName} has opted out`);
    }
    return lines.join('\n');
  }

  /**
   * Returns the result of each order. Stories and orders are independent, so their deliveries are sent concurrently. The next ones follow when all
   * messages have been handled.
   */
  async function replay(orders: Order[]): Promise<string[]> {
    const plays = await Promise.all(
      orders.map(async ({ seed, shuffled, stories }) => {
        const random = randomFrom(seed);
        const playing: Playing[] = [];
        for (const story of readStories().slice(0, stories)) playing.push(await prepare(story, toOrder(story.deliveries.length, shuffled, random)));
        return playing;
      }),
    );
    const all = plays.flat();
    for (let round = 0; round < Math.max(...all.map(({ order }) => order.length)); round++) {
      const bodies = await Promise.all(all.flatMap((one) => (round < one.order.length ? [bodyOf(one, one.order[round] ?? 0)] : [])));
      await Promise.all(bodies.map(m.deliver));
      await settled();
    }
    return Promise.all(plays.map(async (stories) => `${(await Promise.all(stories.map(show))).join('\n\n')}\n`));
  }

  return { replay, look: m.look, stop: m.stop };
}
