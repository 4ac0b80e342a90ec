// Turns with a fake bot: each is taken once, in order, and never after a takeover.
import { randomUUID } from 'node:crypto';
import { createSignal } from '@clinic/lib/background/signal.ts';
import { asSystem, closeDb, inTenant, openDb } from '@clinic/lib/db/db.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { testSettings } from '@clinic/lib/testing/settings.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import type { Transport } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type App, createClients } from '../app.ts';
import type { Respond } from '../bot/respond.ts';
import { lockChannel, updateChannel } from '../channel/channels.sql.ts';
import { createChatProvider } from '../channel/chat-provider.ts';
import { takeOver } from '../conversations/conversations.sql.ts';
import { delivery } from '../testing/messaging.ts';
import { type ShiftedClock, shiftedClock } from '../testing/shifted-clock.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { processDeliveries } from './process-deliveries.ts';
import { startTurnWorker } from './turn-worker.ts';
import { claimTurns } from './turns.sql.ts';

let database: TestDatabase;
let app: App;
let clock: ShiftedClock;
let handled: string[];
let respond: Respond;

beforeAll(async () => {
  database = await testDatabase();
  const settings = testSettings({}, database.urls('messaging'));
  const log = createLog('test', 'silent');
  const db = openDb(settings, { schema: 'messaging', max: 12, log });
  clock = shiftedClock();
  const clinic = { name: 'Sonrisa', isActive: true, readOnly: false, plan: 'clinica', timezone: 'America/El_Salvador', country: 'SV', features: ['chat_bot'] };
  app = {
    db,
    deliveryStore: createDeliveryStore(db, settings.ENCRYPTION_KEYS, () => {}),
    clock,
    log,
    constraints: {},
    keys: settings.ENCRYPTION_KEYS,
    publicUrl: 'http://localhost:8080',
    chat: createChatProvider('http://127.0.0.1:1', 'v25.0'),
    mailer: () => Promise.reject(new Error('unavailable')),
    dataDir: '',
    clinics: { get: async (id) => ({ ...clinic, id }), callOptions: () => Promise.reject(new Error('unavailable')), checkUser: async () => {} },
    activeFaqs: async () => [],
    phoneTexts: async () => ({ language: 'es', texts: {} }),
    ...createClients(() => ({}) as Transport), // nothing calls another service
    assistant: { model: undefined, tokensPerDay: 0, timeoutMs: 0 },
    deliveryStored: createSignal(),
    turnsWaiting: createSignal(),
    toSend: createSignal(),
    webhooks: {} as App['webhooks'],
  };
});
beforeEach(() => {
  handled = [];
});
afterAll(async () => {
  await closeDb(app.db);
  await database.drop();
});

const echo: Respond = async (_app, _clinic, { content }) => {
  handled.push(content.text ?? '');
  return { content: { text: `re ${content.text}` } };
};

/** Runs this many workers until no due turn is left. */
async function takeTurns(workers = 1) {
  const running = Array.from({ length: workers }, () => startTurnWorker({ ...app, turnsWaiting: createSignal() }, respond));
  const due = `select count(*)::int as n from turns t where t.claimed_until > now() or t.due_at <= $1
    and not exists (select from turns e where e.conversation_id = t.conversation_id and e.seq < t.seq)`;
  try {
    await waitFor(async () => (await all<{ n: number }>(due, [clock.now()]))[0].n === 0);
  } finally {
    await Promise.all(running.map((one) => one.stop()));
  }
}

const numberOf = (clinicId: string) => `pn-${clinicId}`;

/** Receives messages that the patient wrote this many hours ago, in a clinic that has a channel. */
async function receiveIn(clinicId: string, texts: string[], hours = 0) {
  const at = Math.floor(Date.now() / 1000) - hours * 3_600;
  for (const text of texts) {
    await app.deliveryStore.store(Buffer.from(JSON.stringify(delivery(numberOf(clinicId), '50370005555', { text, at }))), Number.POSITIVE_INFINITY);
  }
  while ((await processDeliveries(app)) > 0);
}

/** Receives messages of one patient in a new clinic whose bot is on. Returns the conversation. */
async function receive(...texts: string[]) {
  const clinicId = randomUUID();
  const numberId = numberOf(clinicId);
  const bound = { phone_number_id: numberId, proven_number_id: numberId, bot_enabled: true, status: 'active' } as const;
  await inTenant(app.db, clinicId, async (tx) => updateChannel(tx, await lockChannel(tx), bound));
  await receiveIn(clinicId, texts);
  const [{ id }] = await all<{ id: string }>('select id from conversations where clinic_id = $1', [clinicId]);
  return { clinicId, id };
}
const all = <Row>(text: string, values: unknown[]) => asSystem(app.db, async (tx) => (await tx.client.query(text, values)).rows as Row[] & [Row]);
const answersOf = async (clinicId: string) =>
  (
    await all<{ content: { text: string } }>('select m.content from outbound o join messages m using (clinic_id, id) where clinic_id = $1 order by o.seq', [
      clinicId,
    ])
  ).map(({ content }) => content.text);
const openOf = async (clinicId: string) => (await all<{ n: number }>('select count(*)::int as n from turns where clinic_id = $1', [clinicId]))[0].n;

test('each message gets one reply, in order, however many workers run', async () => {
  respond = echo;
  const texts = Array.from({ length: 12 }, (_, index) => `m${index}`);
  const conversation = await receive(...texts);
  await takeTurns(8);
  expect(handled.filter((text, index) => text !== handled[index - 1])).toEqual(texts); // a turn may be decided twice, but is stored once
  expect(await answersOf(conversation.clinicId)).toEqual(texts.map((text) => `re ${text}`));
});

test('conversations do not wait for each other, however many are slow', async () => {
  for (let n = 0; n < 30; n++) await receive('slow');
  await receive('fast');
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  respond = async (anyApp, clinic, incoming) => {
    if (incoming.content.text === 'slow') await held;
    return echo(anyApp, clinic, incoming);
  };
  const taken = takeTurns();
  await waitFor(() => handled.length > 0);
  expect(handled).toEqual(['fast']);
  release();
  await taken;
  expect(handled).toHaveLength(31);
});

test('a claim reports whether another turn of the conversation waits, which is then taken at once', async () => {
  await receive('uno', 'dos');
  await receive('solo');
  const claimed = await claimTurns(app.db, clock.now(), 10, randomUUID(), null);
  await all('delete from turns returning seq', []);
  expect(claimed.map(({ content, has_later }) => [content.text, has_later])).toEqual([
    ['uno', true],
    ['solo', false],
  ]);
});

/** A message of the clinic to the patient that was sent this many hours ago. */
const sent = (clinicId: string, kind: string, reference: string, hours: number) =>
  all(
    `insert into outbound (clinic_id, id, kind, reference, phone, sender, state, provider_id, next_attempt_at, claimed_at, created_at, updated_at)
     values ($1, gen_random_uuid(), $2, $3, '+50370005555', 'system', 'sent', 'wamid.' || $3, $4, $4, $4, $4)`,
    [clinicId, kind, reference, new Date(clock.now().getTime() - hours * 3_600_000)],
  );

test('a message that replies to an earlier reminder answers that one, and otherwise the newest earlier message that the clinic sent unprompted', async () => {
  const { clinicId } = await receive('sí');
  await all("update messages set sent_at = sent_at - interval '2 hours' where clinic_id = $1", [clinicId]);
  await sent(clinicId, 'appointment_reminder', 'first', 5);
  await sent(clinicId, 'appointment_reminder', 'second', 4);
  await sent(clinicId, 'waitlist', 'third', 3);
  await sent(clinicId, 'recall', 'fourth', 1);
  const asked = async (replyTo: string) => {
    await all("update messages set content = content || jsonb_build_object('replyTo', $2::text) where clinic_id = $1", [clinicId, replyTo]);
    await all('update turns set claimed_until = null where clinic_id = $1', [clinicId]);
    const claimed = await claimTurns(app.db, clock.now(), 10, randomUUID(), null);
    return claimed.find((one) => one.clinic_id === clinicId)?.asked.map(({ reference, isQuoted }) => (isQuoted ? [reference] : reference));
  };
  expect(await asked('wamid.first')).toEqual([['first'], 'third']);
  expect(await asked('wamid.of-another-message')).toEqual(['third', 'second']);
  expect(await asked('wamid.fourth')).toEqual([['fourth'], 'third', 'second']); // although the clocks differ
  await all('delete from turns where clinic_id = $1', [clinicId]);
});

test('turns of a read-only clinic wait, and are taken when it is no longer read-only', async () => {
  respond = echo;
  const { get } = app.clinics;
  app.clinics.get = async (id) => ({ ...(await get(id)), readOnly: true });
  const { clinicId } = await receive('uno', 'dos');
  for (let minutes = 0; minutes < 10; minutes++) {
    clock.advance(60_000);
    await takeTurns();
  }
  expect([handled, await openOf(clinicId)]).toEqual([[], 2]);
  app.clinics.get = get;
  clock.advance(60_000);
  await takeTurns();
  expect(await answersOf(clinicId)).toEqual(['re uno', 're dos']);
});

/** A user takes over the conversation. */
const take = ({ clinicId, id }: { clinicId: string; id: string }) =>
  inTenant(app.db, clinicId, async (tx) => {
    await takeOver(tx, id, randomUUID(), clock.now());
  });

test.each([
  ['before a recall was sent', 'identify', 1],
  ['after a recall was sent', 'record', 3],
  ['after a recall was sent, and the clock was set back between them', 'record', -1],
])('while a user has taken over, the turn of a message that was written %s is to %s', async (_when, kind, hours) => {
  const conversation = await receive('hola');
  const { clinicId } = conversation;
  await take(conversation);
  await all('delete from turns where clinic_id = $1', [clinicId]);
  await sent(clinicId, 'recall', randomUUID(), hours);
  await receiveIn(clinicId, ['¿A qué hora abren?'], 2);
  expect(await all('select kind from turns where clinic_id = $1', [clinicId])).toEqual([{ kind }]);
  await all('delete from turns where clinic_id = $1', [clinicId]);
});

describe('a user', () => {
  test('who takes over while the bot composes a reply gets no reply of the bot', async () => {
    const conversation = await receive('hola', 'otra');
    respond = async (anyApp, clinic, incoming) => {
      await take(conversation); // does not wait for the turn
      return echo(anyApp, clinic, incoming);
    };
    await takeTurns();
    expect(handled).toEqual(['hola']);
    expect(await answersOf(conversation.clinicId)).toEqual([]);
    expect(await openOf(conversation.clinicId)).toBe(0);
  });

  test('who has taken over gets no reply of the bot', async () => {
    respond = echo;
    const conversation = await receive('hola');
    await take(conversation);
    await takeTurns();
    expect([handled, await answersOf(conversation.clinicId)]).toEqual([[], []]);
  });

  test('gets the conversation when the bot hands it over', async () => {
    respond = async () => ({ content: { text: 'Le atiende una persona' }, handOver: 'person' });
    const conversation = await receive('persona', 'hola?');
    await takeTurns();
    expect(await answersOf(conversation.clinicId)).toEqual(['Le atiende una persona']);
    const state = 'select human_until > now() as human, handover_reason from conversations where id = $1';
    expect(await all(state, [conversation.id])).toEqual([{ human: true, handover_reason: 'person' }]);
  });
});

test.each([
  ['claimed and postponed before the clock was set back by hours', '3 hours', 1],
  ['stored and claimed before the clock was set back by minutes', '3 minutes', 0],
])('a turn that was %s is taken at once', async (_when, ahead, attempts) => {
  respond = echo;
  const conversation = await receive('hola');
  const stored = 'update turns set due_at = now() + $2::interval, claimed_until = now() + $2::interval, claim = $1, attempts = $3';
  await all(stored, [randomUUID(), ahead, attempts]);
  const worker = startTurnWorker({ ...app, turnsWaiting: createSignal() }, respond);
  await waitFor(async () => expect(await answersOf(conversation.clinicId)).toEqual(['re hola'])).finally(() => worker.stop());
});

describe('a turn that fails', () => {
  test('is retried before the next one', async () => {
    let failures = 2;
    respond = async (anyApp, clinic, incoming) => {
      const answer = await echo(anyApp, clinic, incoming);
      if (failures-- > 0) throw new Error('scheduling is unavailable');
      return answer;
    };
    const conversation = await receive('uno', 'dos');
    for (let round = 0; round < 3; round++) {
      await takeTurns();
      clock.advance(10_000);
    }
    expect(handled).toEqual(['uno', 'uno', 'uno', 'dos']);
    expect(await answersOf(conversation.clinicId)).toEqual(['re uno', 're dos']);
  });

  test('for the last time hands the conversation and its remaining messages over to the staff', async () => {
    respond = async (anyApp, clinic, incoming) => {
      await echo(anyApp, clinic, incoming);
      throw new Error('a fault of ours');
    };
    const conversation = await receive('uno', 'dos');
    for (let round = 0; round < 8; round++) {
      await takeTurns();
      clock.advance(15 * 60_000);
    }
    expect(handled.filter((text) => text === 'uno')).toHaveLength(6);
    expect(await openOf(conversation.clinicId)).toBe(0);
    expect(await answersOf(conversation.clinicId)).toEqual([]);
    expect(await all('select handover_reason from conversations where id = $1', [conversation.id])).toEqual([{ handover_reason: 'failed' }]);
  });
});

describe('while processes of the earlier release run', () => {
  // The earlier release finds its work by messages.handled_at.
  const insertAsBefore = (clinicId: string, conversationId: string, text: string) =>
    all<{ id: string }>(
      `insert into messages (clinic_id, id, conversation_id, direction, sender, type, content, provider_id, status, sent_at, created_at)
       values ($1, gen_random_uuid(), $2, 'in', 'patient', 'text', $3, $4, 'received', now(), now()) returning id`,
      [clinicId, conversationId, JSON.stringify({ text }), randomUUID()],
    );
  const unhandled = async (clinicId: string) =>
    (await all<{ n: number }>(`select count(*)::int as n from messages where clinic_id = $1 and direction = 'in' and handled_at is null`, [clinicId]))[0].n;

  test('the messages that they store get replies in order, and are marked as handled', async () => {
    respond = echo;
    const { clinicId, id } = await receive('uno');
    await insertAsBefore(clinicId, id, 'dos');
    await takeTurns();
    expect(await answersOf(clinicId)).toEqual(['re uno', 're dos']);
    expect([await openOf(clinicId), await unhandled(clinicId)]).toEqual([0, 0]);
  });

  test('the messages that they handle get no second reply', async () => {
    respond = echo;
    const { clinicId, id } = await receive('uno');
    await takeTurns();
    await insertAsBefore(clinicId, id, 'dos');
    await all('update messages set handled_at = now() where clinic_id = $1 and handled_at is null returning id', [clinicId]);
    await takeTurns();
    expect(await answersOf(clinicId)).toEqual(['re uno']);
  });
});
