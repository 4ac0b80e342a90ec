// Turns with a fake bot: each once, in order, never after a takeover.
import { randomUUID } from 'node:crypto';
import { createSignal } from '@clinic/lib/background/signal.ts';
import { asSystem, inTenant, openDb } from '@clinic/lib/db/db.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { testSettings } from '@clinic/lib/testing/settings.ts';
import type { Transport } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type App, createClients } from '../app.ts';
import type { Respond } from '../bot/respond.ts';
import { lockChannel, updateChannel } from '../channel/channels.sql.ts';
import { createChatProvider } from '../channel/chat-provider.ts';
import { lockConversation, takeOver } from '../conversations/conversations.sql.ts';
import { delivery } from '../testing/messaging.ts';
import { type ShiftedClock, shiftedClock } from '../testing/shifted-clock.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { processDeliveries } from './process-deliveries.ts';
import { takeTurns } from './take-turns.ts';

let database: TestDatabase;
let app: App;
let clock: ShiftedClock;
let handled: string[];
let respond: Respond;

beforeAll(async () => {
  database = await testDatabase();
  const settings = testSettings({}, { DATABASE_URL: database.url('messaging') });
  const log = createLog('test', 'silent');
  const db = openDb({ url: settings.DATABASE_URL, schema: 'messaging', max: 12, log });
  clock = shiftedClock();
  const clinic = { name: 'Sonrisa', isActive: true, plan: 'clinica', timezone: 'America/El_Salvador', country: 'SV', features: [] };
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
    clinics: { get: async (id) => ({ ...clinic, id }), callOptions: () => Promise.reject(new Error('unavailable')), checkUser: async () => {} },
    ...createClients(() => ({}) as Transport), // nothing calls another service
    assistant: { model: undefined, tokensPerDay: 0, timeoutMs: 0 },
    deliveryStored: createSignal(),
    toSend: createSignal(),
  };
});
beforeEach(() => {
  handled = [];
});
afterAll(async () => {
  await app.db.pool.end();
  await database.drop();
});

const echo: Respond = async (_app, _tx, { message }) => {
  handled.push(message.content.text ?? '');
  return { content: { type: 'text', text: `re ${message.content.text}` } };
};

/** A clinic whose bot is on, with messages of one patient. Returns the conversation. */
async function receive(...texts: string[]) {
  const clinicId = randomUUID();
  const numberId = `pn-${clinicId}`;
  const bound = { phone_number_id: numberId, proven_number_id: numberId, bot_enabled: true, status: 'active' } as const;
  await inTenant(app.db, clinicId, async (tx) => updateChannel(tx, await lockChannel(tx), bound));
  for (const text of texts) {
    await app.deliveryStore.store(Buffer.from(JSON.stringify(delivery(numberId, '50370005555', { text }))));
  }
  while ((await processDeliveries(app)).size > 0);
  const [{ id }] = await all<{ id: string }>('select id from conversations where clinic_id = $1', [clinicId]);
  return { clinicId, id };
}
const all = <Row>(text: string, values: unknown[]) => asSystem(app.db, async (tx) => (await tx.client.query(text, values)).rows as Row[] & [Row]);
const answersOf = async (clinicId: string) =>
  (await all<{ content: { text: string } }>('select content from outbound where clinic_id = $1 order by seq', [clinicId])).map(({ content }) => content.text);
const openOf = async (clinicId: string) =>
  (await all<{ n: number }>(`select count(*)::int as n from messages where clinic_id = $1 and handled_at is null and direction = 'in'`, [clinicId]))[0].n;

test('each message is answered once, in order, however many workers try', async () => {
  respond = echo;
  const texts = Array.from({ length: 12 }, (_, index) => `m${index}`);
  const conversation = await receive(...texts);
  for (let round = 0; (await openOf(conversation.clinicId)) > 0 && round < 50; round++)
    await Promise.all(Array.from({ length: 8 }, () => takeTurns(app, respond, conversation.clinicId, conversation.id)));
  expect(handled).toEqual(texts);
  expect(await answersOf(conversation.clinicId)).toEqual(texts.map((text) => `re ${text}`));
});

test('conversations do not wait for each other', async () => {
  const [slow, fast] = [await receive('slow'), await receive('fast')];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  respond = async (given, tx, turn) => {
    if (turn.message.content.text === 'slow') await held;
    return echo(given, tx, turn);
  };
  const waiting = takeTurns(app, respond, slow.clinicId, slow.id);
  await takeTurns(app, respond, fast.clinicId, fast.id);
  expect(handled).toEqual(['fast']);
  release();
  await waiting;
  expect(handled).toEqual(['fast', 'slow']);
});

describe('a user', () => {
  const take = ({ clinicId, id }: { clinicId: string; id: string }) =>
    inTenant(app.db, clinicId, async (tx) => {
      await lockConversation(tx, id);
      await takeOver(tx, id, new Date(clock.now().getTime() + 60_000), randomUUID());
    });

  test('who takes over while the bot composes an answer gets no answer of the bot', async () => {
    const conversation = await receive('hola', 'otra');
    respond = async (given, tx, turn) => {
      await take(conversation); // does not wait for the turn
      return echo(given, tx, turn);
    };
    await takeTurns(app, respond, conversation.clinicId, conversation.id);
    expect(handled).toEqual(['hola']);
    expect(await answersOf(conversation.clinicId)).toEqual([]);
    expect(await openOf(conversation.clinicId)).toBe(0);
  });

  test('who has taken over gets no answer of the bot', async () => {
    respond = echo;
    const conversation = await receive('hola');
    await take(conversation);
    await takeTurns(app, respond, conversation.clinicId, conversation.id);
    expect([handled, await answersOf(conversation.clinicId)]).toEqual([[], []]);
  });

  test('gets the conversation when the bot hands it over', async () => {
    respond = async () => ({ content: { type: 'text', text: 'Le atiende una persona' }, handOver: true });
    const conversation = await receive('persona', 'hola?');
    await takeTurns(app, respond, conversation.clinicId, conversation.id);
    expect(await answersOf(conversation.clinicId)).toEqual(['Le atiende una persona']);
    const [{ human }] = await all<{ human: boolean }>('select human_until > now() as human from conversations where id = $1', [conversation.id]);
    expect(human).toBe(true);
  });
});

describe('a turn that fails', () => {
  test('is repeated before the next one, and is rolled back', async () => {
    let failures = 2;
    respond = async (given, tx, turn) => {
      const answer = await echo(given, tx, turn);
      await tx.client.query("update conversations set profile_name = 'changed'");
      if (failures-- > 0) throw new Error('scheduling is unavailable');
      return answer;
    };
    const conversation = await receive('uno', 'dos');
    for (let round = 0; round < 4; round++) {
      await takeTurns(app, respond, conversation.clinicId, conversation.id);
      if (round === 0) {
        const [{ profile_name }] = await all<{ profile_name: string }>('select profile_name from conversations where id = $1', [conversation.id]);
        expect(profile_name).toBe('Lucía');
      }
      clock.advance(10_000);
    }
    expect(handled).toEqual(['uno', 'uno', 'uno', 'dos']);
    expect(await answersOf(conversation.clinicId)).toEqual(['re uno', 're dos']);
  });

  test('for the last time hands over to the staff, who get the remaining messages', async () => {
    respond = async (given, tx, turn) => {
      await echo(given, tx, turn);
      throw new Error('a fault of ours');
    };
    const conversation = await receive('uno', 'dos');
    for (let round = 0; round < 8; round++) {
      await takeTurns(app, respond, conversation.clinicId, conversation.id);
      clock.advance(15 * 60_000);
    }
    expect(handled.filter((text) => text === 'uno')).toHaveLength(6);
    expect(await openOf(conversation.clinicId)).toBe(0);
    expect(await answersOf(conversation.clinicId)).toEqual([]);
  });
});
