// From deliveries to conversations: every shape, each message once, in the order in which they arrived.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { asSystem, execute, sql } from '@clinic/lib/db/db.ts';
import { asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { testRing } from '@clinic/lib/testing/settings.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { delivery, envelope, type Messaging, startMessaging, statusDelivery } from '../testing/messaging.ts';
import { encryptDelivery } from './delivery-store.ts';
import { insertReceivedMessages, type NewMessage } from './received-messages.sql.ts';

let m: Messaging;
beforeAll(async () => {
  m = await startMessaging();
});
afterAll(() => m.stop());

const FIXTURES = path.join(import.meta.dirname, 'fixtures');
const fixture = (name: string) => readFileSync(path.join(FIXTURES, name), 'utf8');
const textsOf = async (clinic: { user: Parameters<Messaging['conversations']['listMessages']>[1] }, phone: string) =>
  (await m.conversations.listMessages({ phone, limit: 500 }, clinic.user)).messages.map(({ text }) => text).reverse();

const changesOf = async (clinicId: string) =>
  (await m.look("select payload->>'change' as change from outbox where clinic_id = $1 and subject like '%conversation-updated' order by id", [clinicId])).map(
    ({ change }) => change,
  );

describe('conversations', () => {
  test('a message creates a conversation: unread, with an open window and the profile name', async () => {
    const clinic = await m.clinic();
    await m.deliver(delivery(clinic.numberId, '50370001111', { text: 'Buenos días' }));
    await m.settled();
    const { conversations, total } = await m.conversations.listConversations({}, clinic.user);
    expect(total).toBe(1);
    expect(conversations[0]).toMatchObject({
      phone: '+50370001111',
      patientName: 'Lucía',
      mode: 'bot',
      status: 'open',
      unreadCount: 1,
      lastMessage: 'Buenos días',
    });
    expect(conversations[0]?.windowExpiresAt).toBeDefined();
    expect((await m.conversations.listConversations({ search: 'lucia' }, clinic.user)).total).toBe(1);
    expect(await textsOf(clinic, '+50370001111')).toEqual(['Buenos días']);
  });

  test('a repeated delivery changes nothing, even much later', async () => {
    const clinic = await m.clinic();
    const body = delivery(clinic.numberId, '50370001112', { text: 'uno' });
    await m.deliver(body);
    await m.settled();
    await m.deliver(body);
    await m.deliver(body);
    await m.settled();
    expect(await textsOf(clinic, '+50370001112')).toEqual(['uno']);
    expect((await m.conversations.listConversations({}, clinic.user)).conversations[0]?.unreadCount).toBe(1);
  });

  test('of received messages, only those that were not stored before count as new', async () => {
    const clinic = await m.clinic();
    const now = new Date();
    const message = (provider_id: string): NewMessage => ({
      ...{ clinic_id: clinic.id, id: randomUUID(), new_conversation_id: randomUUID(), phone: '+50370001118', profile_name: null, human: false, echo: false },
      ...{ provider_id, type: 'text', content: '{"text": "Hola"}', preview: 'Hola', answerable: true, is_recorded: false, is_emergency: false, sent_at: now },
    });
    const storedOf = async (...ids: string[]) =>
      (await asSystem(m.service.db, (tx) => insertReceivedMessages(tx, ids.map(message), now))).stored.map(({ provider_id }) => provider_id);
    const [one, other] = [`wamid.${randomUUID()}`, `wamid.${randomUUID()}`];
    expect([await storedOf(one), await storedOf(one), await storedOf(one, other, other)]).toEqual([[one], [], [other]]);
  });

  test('belong to one clinic', async () => {
    const [one, other] = [await m.clinic(), await m.clinic()];
    await m.deliver(delivery(one.numberId, '50370001113'));
    await m.settled();
    expect((await m.conversations.listConversations({}, other.user)).total).toBe(0);
    await expect(m.conversations.listMessages({ phone: '+50370001113' }, other.user)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('messages of a delivery are ordered by the provider’s time', async () => {
    const clinic = await m.clinic();
    const at = Math.floor(Date.now() / 1000) - 60;
    await m.deliver(delivery(clinic.numberId, '50370001114', { text: 'zweite', at: at + 5 }, { text: 'erste', at }));
    await m.settled();
    expect(await textsOf(clinic, '+50370001114')).toEqual(['erste', 'zweite']);
  });

  test('an echo is an outgoing message, takes over the conversation, and gets no reply', async () => {
    const clinic = await m.clinic();
    const echo = { from: '50322221234', to: '50370001115', id: `wamid.${randomUUID()}`, timestamp: '1750000000', type: 'text', text: { body: 'Le llamo' } };
    await m.deliver(envelope({ metadata: { phone_number_id: clinic.numberId }, message_echoes: [echo] }));
    await m.settled();
    expect((await m.conversations.listConversations({}, clinic.user)).conversations[0]).toMatchObject({ mode: 'human', unreadCount: 0, phone: '+50370001115' });
    expect((await m.conversations.listMessages({ phone: '+50370001115' }, clinic.user)).messages[0]).toMatchObject({ direction: 'out', sender: 'user' });
    await m.deliver(envelope({ metadata: { phone_number_id: clinic.numberId }, message_echoes: [{ ...echo, id: `wamid.${randomUUID()}` }] }));
    await m.settled();
    expect(await changesOf(clinic.id)).toEqual(['takeover', 'message']);
  });

  test('an emergency in a conversation that a user has taken over is published like a handover, each time, and the user remains assigned', async () => {
    const clinic = await m.clinic();
    const phone = '+50370001117';
    const write = async (text: string) => {
      await m.deliver(delivery(clinic.numberId, phone.slice(1), { text }));
      await m.settled();
    };
    await write('Hola');
    const { assignedUserId } = await m.conversations.takeOver({ phone }, clinic.user);
    await write('¿A qué hora abren?');
    expect((await m.conversations.listConversations({}, clinic.user)).conversations[0]?.handoverReason).toBeUndefined();
    await write('Es una emergencia, mi hijo sangra mucho');
    await write('Gracias');
    await write('¡Urgente!');
    const [conversation] = (await m.conversations.listConversations({}, clinic.user)).conversations;
    expect(conversation).toMatchObject({ mode: 'human', handoverReason: 'emergency', assignedUserId });
    expect(await changesOf(clinic.id)).toEqual(['message', 'takeover', 'message', 'takeover', 'message', 'takeover']);
  });

  test('a user without a phone is assigned to the staff, who cannot reply', async () => {
    const clinic = await m.clinic();
    await m.deliver(fixture('synthetic_text_bsuid_only_no_phone.json').replaceAll('1122334455667', clinic.numberId));
    await m.settled();
    const { conversations } = await m.conversations.listConversations({}, clinic.user);
    expect(conversations[0]).toMatchObject({ phone: 'SV.13491208655302741918', mode: 'human', unreadCount: 1 });
    expect((await m.conversations.listConversations({ search: conversations[0]?.patientName ?? '?' }, clinic.user)).total).toBe(1);
    await expect(m.conversations.reply({ phone: 'SV.13491208655302741918', message: 'Hola' }, clinic.user)).rejects.toMatchObject({
      reason: 'CHAT_RECIPIENT_UNKNOWN',
    });
  });

  test('show the patient to whom the phone belongs', async () => {
    const clinic = await m.clinic();
    const patient = { id: randomUUID(), fullName: 'Óscar Ñuñez', phone: '+50370001116' };
    m.answers.findPatientByPhone = () => ({ patient });
    await m.deliver(delivery(clinic.numberId, '50370001116'));
    await m.settled();
    const found = async (search: string) => (await m.conversations.listConversations({ search }, clinic.user)).conversations;
    await waitFor(async () => (await found('oscar')).length === 1); // the lookup follows the delivery
    m.answers.findPatientByPhone = () => ({});
    expect((await found('oscar'))[0]).toMatchObject({ patientId: patient.id, patientName: 'Óscar Ñuñez' });
    expect(await found('nun')).toHaveLength(1);
    expect(await found('0001116')).toHaveLength(1);
    expect(await found('pedro')).toHaveLength(0);
  });
});

describe('shapes', () => {
  const files = readdirSync(FIXTURES).filter((name) => /^(meta|synthetic)_/.test(name));
  test('samples exist', () => expect(files.length).toBeGreaterThan(15));

  test.each(files)('%s is accepted', async (name) => {
    const clinic = await m.clinic();
    const ids = ['106540352242922', '1122334455667', '9988776655443'];
    // Each sample is for a number of this clinic, and its messages have new ids.
    const body = ids.reduce((text, id) => text.replaceAll(id, clinic.numberId), fixture(name)).replaceAll('wamid.', `wamid.${clinic.numberId}.`);
    await m.deliver(body);
    await m.settled();
    const wanted = JSON.parse(body).entry.flatMap((entry: { changes: { value: { messages?: unknown[] } }[] }) =>
      entry.changes.flatMap(({ value }) => value.messages ?? []),
    ).length;
    const [stored] = await m.look('select count(*)::int as n from messages where clinic_id = $1', [clinic.id]);
    expect(stored.n).toBe(wanted);
    const [left] = await m.look(
      `select count(*)::int as n from chat_events where status in ('unusable', 'unknown_number') and received_at > now() - interval '5 s'`,
    );
    expect(left.n).toBe(0);
  });

  test('a delivery with arbitrary content breaks nothing', async () => {
    const clinic = await m.clinic();
    const odd = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom<unknown>('\0', 'a\0b', '\ud800', 'x'.repeat(9000), -1, 1e300, null, [[]]));
    const message = fc.record(
      Object.fromEntries(
        ['from', 'id', 'timestamp', 'type', 'text', 'image', 'interactive', 'context', 'reaction', 'location', 'from_user_id'].map((key) => [key, odd]),
      ),
      { requiredKeys: [] },
    );
    const value = fc.record(
      { contacts: odd, messages: fc.oneof(odd, fc.array(message)), statuses: fc.oneof(odd, fc.array(message)), message_echoes: odd },
      { requiredKeys: [] },
    );
    const seen: unknown[] = [];
    await fc.assert(
      fc.asyncProperty(value, async (one) => {
        const body = envelope({ ...one, metadata: { phone_number_id: clinic.numberId } });
        seen.push(body);
        await m.deliver(body);
      }),
      { numRuns: 60 },
    );
    await m.settled();
    // The detail of a delivery whose processing failed is the code of the error.
    expect(await m.look("select detail from chat_events where status = 'unusable' and detail ~ '^[A-Z_]+$'")).toEqual([]);
  });
});

describe('a delivery that cannot be processed', () => {
  test('is listed for operators, who can replay it when the number is connected', async () => {
    const number = `pn-unknown-${randomUUID()}`;
    await m.deliver(delivery(number, '50370002222', { text: 'perdido' }));
    await m.settled();
    const { events } = await m.events.listChatEvents({ status: 'unknown_number' }, asOperator());
    expect(events[0]).toMatchObject({ status: 'unknown_number', detail: expect.stringContaining(number) });
    const clinic = await m.clinic();
    await m.channels.updateChannelSettings({ chatPhoneNumberId: number }, clinic.admin);
    await waitFor(async () => (await m.channels.getChannelStatus({}, clinic.admin)).status === 'active');
    await m.events.replayChatEvent({ id: events[0]?.id ?? '' }, asOperator());
    await m.settled();
    expect(await textsOf(clinic, '+50370002222')).toEqual(['perdido']);
  });

  test.each([
    ['without an id', (numberId: string) => ({ metadata: { phone_number_id: numberId }, messages: [{ from: '50370002225', type: 'text' }] })],
    ['without a number', () => ({ statuses: [{ id: 'wamid.1', status: 'read' }] })],
  ])('in part, because of a message or status %s, is listed, and the rest of it is processed once', async (_which, unusable) => {
    const clinic = await m.clinic();
    const body = delivery(clinic.numberId, '50370002225', { text: 'completo' });
    body.entry[0]?.changes.push({ field: 'messages', value: unusable(clinic.numberId) });
    await m.deliver(body);
    await m.settled();
    const [event] = (await m.events.listChatEvents({}, asOperator())).events;
    expect(event).toMatchObject({ status: 'unusable', detail: 'Messages and statuses without an id, a sender or a number: 1' });
    expect(await m.events.replayChatEvent({ id: event?.id ?? '' }, asOperator())).toMatchObject({ status: 'received' });
    await m.settled();
    expect((await m.events.listChatEvents({}, asOperator())).events[0]).toEqual(event);
    expect(await textsOf(clinic, '+50370002225')).toEqual(['completo']);
  });

  test('is set aside alone, even if an older one is committed after it has failed', async () => {
    const clinic = await m.clinic();
    const [id, from] = [randomUUID(), '50370002226'];
    const body = Buffer.from(JSON.stringify(delivery(clinic.numberId, from, { text: 'anterior' })));
    // Fails each time; the second time, after the batch has failed, once the transaction below has ended.
    await m.look(`create sequence failures;
      create function fail() returns trigger language plpgsql security definer as $$ begin
        if nextval('messaging.failures') = 2 then perform pg_advisory_xact_lock(4711); end if;
        raise 'failed'; end $$;
      create trigger fail before insert on messages for each row when (new.content->>'text' = 'falla') execute function fail()`);
    await asSystem(m.service.db, async (tx) => {
      await execute(tx, sql('insert into chat_events (id, body_sealed, bytes) values ($1, $2, $3)'), [id, encryptDelivery(testRing, id, body), body.length]); // plain-words: sealed is in the names of columns
      await execute(tx, sql('select pg_advisory_xact_lock(4711)'));
      await m.deliver(delivery(clinic.numberId, from, { text: 'falla' }));
      await waitForLocked(m.service.database.ownerUrl, 1, '%with given as%'); // the text of a statement is cut off after 1 kB
    });
    await m.settled();
    await m.look('drop trigger fail on messages; drop function fail; drop sequence failures');
    expect(await textsOf(clinic, `+${from}`)).toEqual(['anterior']);
    expect(await m.look("delete from chat_events where detail = 'INTERNAL' returning status")).toEqual([{ status: 'unusable' }]);
  });

  test('does not stop the processing of others', async () => {
    const clinic = await m.clinic();
    await m.deliver('no JSON at all');
    await m.deliver(delivery(clinic.numberId, '50370002223', { text: 'después' }));
    await m.settled();
    expect(await textsOf(clinic, '+50370002223')).toEqual(['después']);
    expect((await m.events.listChatEvents({ status: 'unusable' }, asOperator())).total).toBeGreaterThan(0);
  });

  test('is stored encrypted', async () => {
    const clinic = await m.clinic();
    await m.deliver(delivery(clinic.numberId, '50370002224', { text: 'secreto-grande' }));
    const [row] = await m.look("select encode(body_sealed, 'escape') as text from chat_events order by seq desc limit 1");
    expect(row.text).not.toContain('secreto');
    await m.settled();
  });
});

test('any interleaving of duplicates and concurrent deliveries: each message once, in order', async () => {
  const phones = ['50371110001', '50371110002', '50371110003'];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ phone: fc.nat(2), repeats: fc.array(fc.nat(30), { maxLength: 3 }), together: fc.boolean() }), { minLength: 5, maxLength: 25 }),
      async (plan) => {
        const clinic = await m.clinic();
        const sent: Record<string, string[]> = {};
        const late: { after: number; body: unknown }[] = [];
        let running: Promise<unknown>[] = [];
        for (const [index, { phone, repeats, together }] of plan.entries()) {
          const from = phones[phone] as string;
          const text = `m${index}`;
          const body = delivery(clinic.numberId, from, { text });
          const concurrent = running.length > 0 && plan.slice(0, index).some((one, at) => one.phone === phone && at >= index - running.length);
          // Order is defined between a delivery and those sent after its acknowledgement; concurrent deliveries of one phone have none.
          if (!together || concurrent) {
            await Promise.all(running);
            running = [];
          }
          sent[from] = [...(sent[from] ?? []), text];
          running.push(m.deliver(body));
          for (const distance of repeats) late.push({ after: index + distance, body });
          for (const again of late.filter(({ after }) => after === index)) running.push(m.deliver(again.body));
        }
        await Promise.all([...running, ...late.map(({ body }) => m.deliver(body))]);
        await m.settled();
        for (const [from, texts] of Object.entries(sent)) expect(await textsOf(clinic, `+${from}`)).toEqual(texts);
      },
    ),
    { numRuns: 12 },
  );
});

test('statuses only move forward, and are published', async () => {
  const clinic = await m.clinic();
  await m.deliver(delivery(clinic.numberId, '50370003333'));
  await m.settled();
  const { id } = await m.conversations.reply({ phone: '+50370003333', message: 'Hola' }, clinic.user);
  await waitFor(async () => (await m.look("select 1 from outbound where id = $1 and state = 'sent'", [id])).length === 1);
  const [{ provider_id: wamid }] = await m.look('select provider_id from outbound where id = $1', [id]);
  const state = async () => (await m.conversations.listMessages({ phone: '+50370003333' }, clinic.user)).messages[0]?.status;
  for (const [status, wanted] of [
    ['read', 'read'],
    ['delivered', 'read'],
    ['sent', 'read'],
    ['failed', 'read'],
  ] as const) {
    await m.deliver(statusDelivery(clinic.numberId, { id: wamid, status, recipient_id: '50370003333' }));
    await m.settled();
    expect(await state()).toBe(wanted);
  }
});

test('only services may deliver', async () => {
  const clinic = await m.clinic();
  await expect(m.events.receiveChatEvent({ body: new Uint8Array() }, clinic.user)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  await expect(m.events.listChatEvents({}, asService('gateway'))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
});

describe('what the staff see', () => {
  const at = (seconds = 0) => String(Math.floor(Date.now() / 1000) - 60 + seconds);
  const send = async (...messages: Record<string, unknown>[]) => {
    const clinic = await m.clinic();
    const listed = messages.map((one, index) => ({ from: '50370005555', id: `wamid.${randomUUID()}`, timestamp: at(index), ...one }));
    await m.deliver(envelope({ metadata: { phone_number_id: clinic.numberId }, messages: listed }));
    await m.settled();
    return (await m.conversations.listMessages({ phone: '+50370005555' }, clinic.user)).messages.reverse();
  };

  test('an order names its items and prices', async () => {
    const product_items = [
      { product_retailer_id: 'BLANQUEAMIENTO', quantity: 1, item_price: 90, currency: 'USD' },
      { product_retailer_id: 'CEPILLO', quantity: '2', item_price: '3.5', currency: 'USD' },
    ];
    const [order] = await send({ type: 'order', order: { catalog_id: '1', text: 'Para el lunes', product_items } });
    expect(order).toMatchObject({ type: 'order', text: 'Para el lunes; 1 × BLANQUEAMIENTO 90.00 USD; 2 × CEPILLO 3.50 USD' });
  });

  test('edits and deletions mark their message, in whatever order they arrive', async () => {
    const [text, image] = [`wamid.${randomUUID()}`, `wamid.${randomUUID()}`];
    const messages = await send(
      { type: 'edit', edit: { original_message_id: image, message: { type: 'image', image: { id: 'm', caption: 'Mi muela' } } } },
      { id: image, type: 'image', image: { id: 'm', mime_type: 'image/jpeg', caption: 'Mi diente' } },
      { id: text, type: 'text', text: { body: 'uno' } },
      { type: 'edit', edit: { original_message_id: text, message: { type: 'text', text: { body: 'dos' } } } },
      { type: 'revoke', revoke: { original_message_id: text } },
    );
    expect(messages.map((one) => [one.type, one.text, one.editedAt !== undefined, one.revokedAt !== undefined])).toEqual([
      ['edit', 'Mi muela', false, false],
      ['image', 'Mi diente', true, false],
      ['text', 'uno', true, true],
      ['edit', 'dos', false, false],
      ['revoke', 'Eliminó un mensaje', false, false],
    ]);
    expect(messages.map(({ replyTo }) => messages.findIndex(({ id }) => id === replyTo))).toEqual([1, -1, -1, 2, 2]);
  });

  test('a patient’s new number is shown', async () => {
    const system = { type: 'user_changed_number', body: 'User changed from 50370005555 to 50371112222', wa_id: '50371112222' };
    expect((await send({ type: 'system', system }))[0]).toMatchObject({
      text: 'Cambió de número. El nuevo es +50371112222: actualice el teléfono del paciente.',
      newPhone: '+50371112222',
    });
    // It is not a message of the patient, which would allow free text.
    expect(await m.look("select window_expires_at from conversations where phone = '+50370005555' order by id desc limit 1")).toEqual([
      { window_expires_at: null },
    ]);
  });

  test('no message is shown as a blank line', async () => {
    const bare = ['revoke', 'reaction', 'edit', 'system', 'interactive', 'contacts', 'order', 'location', 'hologram', 'text', 'button', 'image', 'sticker'];
    for (const message of await send(...bare.map((type) => ({ type, [type]: {} })))) expect(message.text?.trim()).toBeTruthy();
    const [blank] = await send({ type: 'text', text: { body: '  \n ' } });
    expect(blank?.text).toBe('Mensaje');
  });
});
