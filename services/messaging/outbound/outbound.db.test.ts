// From a stored message to the provider and back: not repeated while the provider may have it, in order, and bounded.
import { randomUUID } from 'node:crypto';
import { inTenant } from '@clinic/lib/db/db.ts';
import { speakingAs } from '@clinic/lib/rpc/context.ts';
import { asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { BookingCodeService } from '@clinic/proto/messaging/v1/booking_code_pb.js';
import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { delivery, type Messaging, startMessaging, statusDelivery } from '../testing/messaging.ts';
import { type ShiftedClock, shiftedClock } from '../testing/shifted-clock.ts';
import { beginTransmissions } from './claims.sql.ts';
import { insertOutbound, type NewOutbound, type OutboundRow } from './outbound.sql.ts';
import { type Outgoing, typeOf } from './outgoing-content-rules.ts';
import { purgeOutbound } from './purge-outbound.ts';
import { addToConversation, sendLater } from './send.ts';

let m: Messaging;
let clock: ShiftedClock;
let phones = 70_100_000;
beforeAll(async () => {
  clock = shiftedClock();
  m = await startMessaging({ clock });
});
beforeEach(() => m.provider.forget());
afterAll(() => m.stop());

type Clinic = Awaited<ReturnType<Messaging['clinic']>>;

/** A clinic with an active number and no quiet hours. */
async function newClinic(): Promise<Clinic> {
  const clinic = await m.clinic();
  await m.look("insert into reminder_settings values ($1, true, '00:00', '00:00', now())", [clinic.id]);
  return clinic;
}

/** A patient who has just written, so that the window is open. */
async function patientOf(clinic: Clinic): Promise<string> {
  const digits = `503${++phones}`;
  await m.deliver(delivery(clinic.numberId, digits, { at: Math.floor(clock.now().getTime() / 1000) }));
  await m.settled();
  return `+${digits}`;
}
/** Stores a message to be sent; undefined when there is one with its reference. */
type Given = Partial<NewOutbound> & { phone: string; content?: Outgoing; now?: Date };
const store = (clinic: Clinic, { phone, content = { text: 'Hola' }, now = clock.now(), ...given }: Given) =>
  inTenant(m.service.db, clinic.id, async (tx) => {
    const defaults = {
      id: randomUUID(),
      kind: 'test',
      reference: null,
      sender: 'system',
      sent_by: null,
      answers: null,
      needed_by: null,
    } as const;
    const message = { ...defaults, priority: 1, due_at: now, phone, ...given };
    if (!(await insertOutbound(tx, clinic.id, message, now))) return undefined;
    await addToConversation(tx, { ...message, content }, now);
    return message;
  });
const rowOf = async (id: string) => (await m.look('select * from outbound where id = $1', [id]))[0];
const reaches = (id: string, state: string) =>
  waitFor(async () => {
    const row = await rowOf(id);
    if (row?.state !== state) throw new Error(`is ${row?.state} (${row?.error_code} ${row?.error}), not ${state}`);
    return row;
  });
const published = async (id: string) =>
  (await m.look("select payload from outbox where subject like '%outbound-message-updated' and payload->>'reference' = $1 order by id", [id])).map(
    ({ payload }) => payload,
  );

describe('a message', () => {
  test('is sent in the format of the provider with its id, and is in its conversation', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    const { id } = await m.conversations.reply({ phone, message: 'Con gusto' }, clinic.user);
    await reaches(id, 'sent');
    expect(m.provider.sent()).toEqual([
      {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: phone.slice(1),
        type: 'text',
        text: { body: 'Con gusto', preview_url: false },
        biz_opaque_callback_data: id,
      },
    ]);
    const { messages } = await m.conversations.listMessages({ phone }, clinic.user);
    expect(messages[0]).toMatchObject({ id, direction: 'out', sender: 'user', status: 'sent', text: 'Con gusto' });
    expect((await m.conversations.listConversations({}, clinic.user)).conversations[0]).toMatchObject({ mode: 'human', unreadCount: 0 });
  });

  test('with a reference is stored once, and its states are published', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    const reference = randomUUID();
    const [first, second] = await Promise.all([store(clinic, { phone, reference }), store(clinic, { phone, reference })]);
    const id = (first ?? second)?.id ?? '';
    expect([first, second].filter(Boolean)).toHaveLength(1);
    const { provider_id } = await reaches(id, 'sent');
    await m.deliver(statusDelivery(clinic.numberId, { id: provider_id, status: 'delivered' }));
    await reaches(id, 'delivered');
    expect((await published(reference)).map(({ status }) => status)).toEqual(['sent', 'delivered']);
  });

  test('that was stored before the clock was set back goes before later ones', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    const ahead = new Date(clock.now().getTime() + 192_000);
    await store(clinic, { phone, content: { text: 'alfa' }, now: ahead });
    for (const text of ['beta', 'gama']) await store(clinic, { phone, content: { text } });
    await waitFor(() => expect(m.provider.sent().map(({ text }) => text?.body)).toEqual(['alfa', 'beta', 'gama']));
  });

  test('outside the window is a template; a reply without one is refused', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    clock.advance(25 * 3_600_000);
    await expect(m.conversations.reply({ phone, message: 'Hola' }, clinic.user)).rejects.toMatchObject({ reason: 'CHAT_WINDOW_CLOSED' });
    const template = { name: 'reminder', language: 'es', variables: ['Ana', 'lunes\n9:00'], payloads: ['confirm:1'] };
    await reaches((await store(clinic, { phone, content: { text: 'Hola', template } }))?.id ?? '', 'sent');
    const replied = await m.conversations.reply({ phone, message: '', template: { name: 'hello', language: 'es', variables: [] } }, clinic.user);
    await reaches(replied.id, 'sent');
    expect(m.provider.sent().map(({ type, template }) => [type, template])).toEqual([
      [
        'template',
        {
          name: 'reminder',
          language: { code: 'es' },
          components: [
            {
              type: 'body',
              parameters: [
                { type: 'text', text: 'Ana' },
                { type: 'text', text: 'lunes 9:00' },
              ],
            },
            { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'confirm:1' }] },
          ],
        },
      ],
      ['template', { name: 'hello', language: { code: 'es' }, components: [] }],
    ]);
  });

  test('with the code of an online booking is a template that is sent once; without a connected number it is a mail', async () => {
    const clinic = await newClinic();
    const codes = createClient(BookingCodeService, speakingAs('scheduling', m.service.transport));
    const code = () => ({ bookingId: randomUUID(), code: '012345', phone: `+503${++phones}`, email: 'rosa@example.com', name: 'Rosa' });
    const byChat = code();
    for (let time = 0; time < 2; time++) expect(await codes.sendBookingCode(byChat, asService('scheduling', clinic.id))).toMatchObject({ channel: 'chat' });
    await waitFor(() => m.provider.sent().length > 0);
    const parameters = ['Sonrisa', '012345'].map((text) => ({ type: 'text', text }));
    expect(m.provider.sent().map(({ type, to, template }) => [type, to, template])).toEqual([
      ['template', byChat.phone.slice(1), { name: 'booking_code', language: { code: 'es' }, components: [{ type: 'body', parameters }] }],
    ]);
    expect(await m.look('select 1 from outbound where reference = $1', [byChat.bookingId])).toHaveLength(1);

    const unconnected = asService('scheduling', randomUUID());
    const byMail = code();
    for (let time = 0; time < 2; time++) expect(await codes.sendBookingCode(byMail, unconnected)).toMatchObject({ channel: 'mail' });
    expect(await m.look("select 1 from mails where kind = 'booking_code' and reference = $1", [byMail.bookingId])).toHaveLength(1);
    expect(await codes.sendBookingCode({ ...code(), email: '' }, unconnected)).toMatchObject({ channel: '' });
  });

  test('that the provider refuses outside the window is sent as the template, once', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    m.provider.next('/messages', m.provider.refusal(400, 131047));
    m.answers.renderRecallMessage = () => ({ send: true, phone, text: 'Le toca su control' });
    await inTenant(m.service.db, clinic.id, (tx) => sendLater(tx, clinic.id, { kind: 'recall', contactId: randomUUID() }, {}, clock.now()));
    await waitFor(() => m.provider.sent().length === 2);
    expect(m.provider.sent().map(({ type, text, template }) => [type, text?.body ?? template.name])).toEqual([
      ['text', 'Le toca su control'],
      ['template', 'recall_message'],
    ]);
    m.provider.next('/messages', m.provider.refusal(400, 131047));
    const row = await reaches((await store(clinic, { phone }))?.id ?? '', 'failed');
    expect(row.error_code).toBe('131047');
  });
});

describe('a failure', () => {
  test('that is transient is retried, and later messages to the same phone wait', async () => {
    const clinic = await newClinic();
    const [phone, other] = [await patientOf(clinic), await patientOf(clinic)];
    m.provider.next('/messages', m.provider.refusal(500, 131000));
    const first = (await store(clinic, { phone, content: { text: 'uno' } }))?.id ?? '';
    await waitFor(async () => (await rowOf(first)).error_code === '131000');
    const waiting = (await m.outbound.listDeadLetters({ state: 'retrying' }, asOperator())).deadLetters.find(({ id }) => id === first);
    expect(waiting).toMatchObject({ channel: 'chat', status: 'retrying', attempts: 1, errorCode: '131000', nextAttemptAt: expect.anything() });
    const second = (await store(clinic, { phone, content: { text: 'dos' } }))?.id ?? '';
    await reaches((await store(clinic, { phone: other }))?.id ?? '', 'sent');
    expect((await rowOf(second)).state).toBe('queued');
    clock.advance(3_000);
    await reaches(second, 'sent');
    expect(
      m.provider
        .sent()
        .filter(({ to }) => to === phone.slice(1))
        .map(({ text }) => text.body),
    ).toEqual(['uno', 'uno', 'dos']);
  });

  test('that is permanent ends in a dead letter, which an operator can send again', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    m.provider.next('/messages', m.provider.refusal(400, 132001, 'Template does not exist'));
    const { id } = (await store(clinic, { phone })) ?? { id: '' };
    await reaches(id, 'dead');
    const { deadLetters } = await m.outbound.listDeadLetters({}, asOperator());
    expect(deadLetters[0]).toMatchObject({ id, channel: 'chat', clinicId: clinic.id, kind: 'test', errorCode: '132001', attempts: 1 });
    await m.outbound.replayDeadLetter({ id }, asOperator('maria'));
    expect(await m.look("select actor_id from audit_log where action = 'dead_letter.replayed' and entity_id = $1", [id])).toEqual([{ actor_id: 'maria' }]);
    await reaches(id, 'sent');
    await expect(m.outbound.replayDeadLetter({ id }, asOperator())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('that is the provider’s own is retried until the message is too old', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    m.provider.next('/messages', ...Array.from({ length: 8 }, () => m.provider.refusal(503, 0)));
    const { id } = (await store(clinic, { phone })) ?? { id: '' };
    for (let attempt = 1; attempt <= 8; attempt++) {
      await waitFor(async () => (await rowOf(id)).attempts === attempt && (await rowOf(id)).state === 'queued');
      clock.advance(15 * 60_000);
    }
    await reaches(id, 'sent');
  });

  test('is retried six times at most', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    m.provider.next('/messages', ...Array.from({ length: 6 }, () => m.provider.refusal(429, 130429)));
    const { id } = (await store(clinic, { phone })) ?? { id: '' };
    for (let attempt = 1; attempt < 6; attempt++) {
      await waitFor(async () => (await rowOf(id)).attempts === attempt && (await rowOf(id)).state === 'queued');
      clock.advance(15 * 60_000);
    }
    expect((await reaches(id, 'dead')).attempts).toBe(6);
  });

  test('of the account stops the channel, and the message waits', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    m.provider.next('/messages', m.provider.refusal(401, 190));
    const { id } = (await store(clinic, { phone })) ?? { id: '' };
    await waitFor(async () => (await m.channels.getChannelStatus({}, clinic.admin)).status === 'failed');
    expect((await m.channels.getChannelStatus({}, clinic.admin)).detail).toMatch(/access token/);
    await reaches(id, 'queued');
    await m.channels.updateChannelSettings({ chatAccessToken: 'EAAGanother-token' }, clinic.admin);
    await reaches(id, 'sent');
  });
});

describe('a call without a response', () => {
  test('may have been delivered: the provider’s status decides, and nothing is sent again', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    m.provider.next('/messages', { hang: true });
    const { id } = (await store(clinic, { phone })) ?? { id: '' };
    await reaches(id, 'uncertain');
    await m.deliver(statusDelivery(clinic.numberId, { id: 'wamid.from-the-status', status: 'delivered', biz_opaque_callback_data: id }));
    expect((await reaches(id, 'delivered')).provider_id).toBe('wamid.from-the-status');
    clock.advance(10 * 60_000);
    await new Promise((resolve) => setTimeout(resolve, 1_300)); // longer than the sender sleeps
    expect(m.provider.sent()).toHaveLength(1);
  });

  test('that no status confirms is never sent again: it is shown as uncertain, and later messages of the phone wait for 20 seconds', async () => {
    const clinic = await newClinic();
    const [phone, other] = [await patientOf(clinic), await patientOf(clinic)];
    m.provider.next('/messages', { hang: true });
    const { id } = await m.conversations.reply({ phone, message: 'uno' }, clinic.user);
    await reaches(id, 'uncertain');
    const later = (await store(clinic, { phone }))?.id ?? '';
    await reaches((await store(clinic, { phone: other }))?.id ?? '', 'sent');
    expect((await rowOf(later)).state).toBe('queued');
    clock.advance(20_000);
    await reaches(later, 'sent');
    expect((await reaches(id, 'dead')).error_code).toBe('no_answer');
    const { messages } = await m.conversations.listMessages({ phone }, clinic.user);
    expect(messages.find((one) => one.id === id)).toMatchObject({ status: 'uncertain', error: expect.stringContaining('may have received it') });
    expect(m.provider.sent()).toHaveLength(3);
    await m.deliver(statusDelivery(clinic.numberId, { id: 'wamid.late', status: 'delivered', biz_opaque_callback_data: id }));
    await reaches(id, 'delivered');
  });
});

describe('statuses of the provider', () => {
  test('come in one delivery, late, twice and in any order: the furthest one holds, and is published once', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    const reference = randomUUID();
    const one = (await store(clinic, { phone, reference }))?.id ?? '';
    const { id: two } = await m.conversations.reply({ phone, message: 'Hola' }, clinic.user);
    const ids = [(await reaches(one, 'sent')).provider_id, (await reaches(two, 'sent')).provider_id];
    const given = [
      { id: ids[0], status: 'read' },
      { id: ids[1], status: 'sent' },
      { id: ids[0], status: 'delivered' },
      { id: ids[1], status: 'delivered', biz_opaque_callback_data: two },
      { id: 'wamid.of-another-system', status: 'read' },
    ];
    for (let i = 0; i < 2; i++) {
      const body = statusDelivery(clinic.numberId, {});
      Object.assign(body.entry[0]?.changes[0]?.value as object, { statuses: given.map((status) => ({ timestamp: '1', ...status })) });
      await m.deliver(body);
    }
    await m.settled();
    await Promise.all([reaches(one, 'read'), reaches(two, 'delivered')]);
    expect((await published(reference)).map(({ status }) => status)).toEqual(['sent', 'read']);
    const { messages } = await m.conversations.listMessages({ phone }, clinic.user);
    expect(messages[0]).toMatchObject({ id: two, status: 'delivered' });
  });

  test('of messages of long ago advance the conversation; the queue does not retain them, except references', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    const { id } = await m.conversations.reply({ phone, message: 'Hola' }, clinic.user);
    const referenced = (await store(clinic, { phone, reference: randomUUID() }))?.id ?? '';
    const { provider_id } = await reaches(id, 'sent');
    await reaches(referenced, 'sent');
    clock.advance(4 * 24 * 3_600_000);
    await purgeOutbound({ db: m.service.db, clock });
    expect([await rowOf(id), (await rowOf(referenced)).state]).toEqual([undefined, 'sent']);
    const statusOf = async () => (await m.conversations.listMessages({ phone }, clinic.user)).messages.find((one) => one.id === id)?.status;
    for (const status of ['read', 'delivered']) await m.deliver(statusDelivery(clinic.numberId, { id: provider_id, status }));
    await m.settled();
    expect(await statusOf()).toBe('read');
    clock.advance(61 * 24 * 3_600_000);
    await purgeOutbound({ db: m.service.db, clock });
    expect(await rowOf(referenced)).toBeUndefined();
  });
});

describe('a sender that has died', () => {
  const lease = (seconds: number) => `lease_until = now() + interval '${seconds} seconds'`;
  /** A message that another process has claimed. */
  async function claimed(clinic: Clinic, phone: string, changes: string) {
    const { id } = (await store(clinic, { phone, due_at: new Date(clock.now().getTime() + 3_600_000) })) ?? { id: '' };
    await m.look(`update outbound set state = 'sending', attempts = 1, claimed_at = $2, ${changes} where id = $1`, [id, clock.now()]);
    return id;
  }

  test.each([
    ['ended', -1],
    ['is of before the clock of the database was set back', 3600],
  ])('before the message left: it is sent at once when the lease %s', async (_name, seconds) => {
    const clinic = await newClinic();
    const id = await claimed(clinic, await patientOf(clinic), lease(seconds));
    await reaches(id, 'sent');
    expect(m.provider.sent()).toHaveLength(1);
  });

  test('when the message may have left: it is uncertain, and not sent again', async () => {
    const clinic = await newClinic();
    const id = await claimed(clinic, await patientOf(clinic), `${lease(-1)}, transmitting_at = now()`);
    await reaches(id, 'uncertain');
    clock.advance(20_000);
    await reaches(id, 'dead');
    expect(m.provider.sent()).toEqual([]);
  });

  test('in an earlier release, which records no transmission: it is uncertain after a minute', async () => {
    const clinic = await newClinic();
    const id = await claimed(clinic, await patientOf(clinic), 'lease_until = null');
    clock.advance(61_000);
    await reaches(id, 'uncertain');
    expect(m.provider.sent()).toEqual([]);
  });

  test('is refused when it is alive after all: a claim transmits once, and not after another sender has taken the message', async () => {
    const clinic = await newClinic();
    const id = await claimed(clinic, await patientOf(clinic), lease(5));
    const row = await rowOf(id);
    const begin = async (claim: OutboundRow) => (await beginTransmissions(m.service.db, [claim]))[0];
    expect(await begin({ ...row, claimed_at: new Date(row.claimed_at.getTime() - 1) })).toBe(false);
    expect(await begin(row)).toBe(true);
    expect(await begin(row)).toBe(false);
  });
});

describe('while processes of the earlier release run, which store what is sent in outbound', () => {
  const choices = [
    { id: 'a', title: 'Uno', description: 'El primero' },
    { id: 'b', title: 'Dos' },
  ];
  // What each release stores: in outbound, and in messages.
  const template = { name: 'hello', language: 'es', variables: ['Ana'] };
  const forms = [
    [{ type: 'text', text: 'Hola' }, { text: 'Hola' }, { text: 'Hola' }],
    [
      { type: 'buttons', text: 'Hola', buttons: choices },
      { text: 'Hola', choices },
      { text: 'Hola', choices },
    ],
    [
      { type: 'list', text: 'Hola', button: 'Ver', sections: [{ rows: choices }] },
      { text: 'Hola', choices: choices.map(({ id, title }) => ({ id, title })) },
      { text: 'Hola', choices, listButton: 'Ver' },
    ],
    [{ type: 'template', text: 'Hola', ...template }, { text: 'Hola' }, { text: 'Hola', template }],
  ] as const;

  test.each(forms)('they get the content of %j when they claim a message', async (earlier, _shown, content) => {
    const clinic = await newClinic();
    const { id = '' } = (await store(clinic, { phone: await patientOf(clinic), content, due_at: new Date(clock.now().getTime() + 3_600_000) })) ?? {};
    expect((await rowOf(id)).content).toBeNull();
    const [claimed] = await m.look("update outbound set state = 'sending', attempts = 6, claimed_at = now() where id = $1 returning content", [id]);
    expect(claimed.content).toEqual(earlier);
    await m.look('delete from outbound where id = $1', [id]);
  });

  test.each(forms)('their %j is completed in the conversation, from which it is sent', async (earlier, shown, content) => {
    const clinic = await newClinic();
    const { id = '' } = (await store(clinic, { phone: await patientOf(clinic), due_at: new Date(clock.now().getTime() + 3_600_000) })) ?? {};
    const [message] = await m.look('delete from messages where id = $1 returning conversation_id', [id]);
    await m.look('update outbound set content = $2 where id = $1', [id, JSON.stringify(earlier)]);
    await m.look(
      `insert into messages (clinic_id, id, conversation_id, direction, sender, type, content, status, created_at)
       values ($1, $2, $3, 'out', 'bot', $4, $5, 'queued', now())`,
      [clinic.id, id, message.conversation_id, typeOf(content), JSON.stringify(shown)],
    );
    expect((await m.look('select content from messages where id = $1', [id]))[0].content).toEqual(content);
    await m.look('delete from outbound where id = $1', [id]);
  });
});

describe('after the clock was set back', () => {
  test('messages that were stored before are sent, and claims in the future use up no limit', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    await m.look(`insert into outbound (clinic_id, id, kind, phone, sender, content, state, next_attempt_at, claimed_at, created_at, updated_at)
      select '${clinic.id}', gen_random_uuid(), 'bot', '${phone}', 'bot', '{}', 'sent', now(), now() + interval '1 hour', now(), now() from generate_series(1, 100)`);
    const { id } = (await store(clinic, { phone })) ?? { id: '' };
    await reaches(id, 'sent');
    const { id: future } = (await store(clinic, { phone, due_at: new Date(clock.now().getTime() + 3_600_000) })) ?? { id: '' };
    await m.look('update outbound set updated_at = next_attempt_at where id = $1', [future]);
    await waitFor(async () => (await rowOf(future)).state === 'sent');
  });
});

describe('a message that can never be sent fails, with a reason that the staff see', () => {
  const statusOf = async (clinic: Clinic, phone: string, id: string) =>
    (await m.conversations.listMessages({ phone }, clinic.user)).messages.find((one) => one.id === id);

  test('when the number is disconnected before it is sent', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    m.provider.next('/messages', m.provider.refusal(500, 131000));
    const { id } = await m.conversations.reply({ phone, message: 'Hola' }, clinic.user);
    await waitFor(async () => (await rowOf(id)).attempts === 1 && (await rowOf(id)).state === 'queued');
    await m.look("update channels set status = 'disconnected' where clinic_id = $1", [clinic.id]);
    await waitFor(async () => (await rowOf(id)).state === 'failed');
    expect(await statusOf(clinic, phone, id)).toMatchObject({ status: 'failed', error: 'The clinic has no connected chat number' });
  });

  test('when the phone cannot receive it, the template does not exist, or the window has closed', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    const sent = async (message: string, template?: { name: string; language: string; variables: string[] }) => {
      const { id } = await m.conversations.reply({ phone, message, ...(template && { template }) }, clinic.user);
      return waitFor(async () => {
        const found = await statusOf(clinic, phone, id);
        return found?.status !== 'queued' && [found?.status, found?.error];
      });
    };
    m.provider.next('/messages', m.provider.refusal(400, 131026));
    expect(await sent('Hola')).toEqual(['failed', 'The phone cannot receive chat messages']);
    m.provider.next('/messages', m.provider.refusal(400, 132001));
    expect(await sent('', { name: 'x', language: 'es', variables: [] })).toEqual(['failed', 'The template does not exist in this language']);
    const { id } = (await store(clinic, { phone, due_at: new Date(clock.now().getTime() + 3_600_000) })) ?? { id: '' };
    await m.look('update conversations set window_expires_at = now() where clinic_id = $1', [clinic.id]);
    m.provider.forget();
    await m.look('update outbound set next_attempt_at = now() where id = $1', [id]);
    expect((await reaches(id, 'failed')).error_code).toBe('131047');
    expect(m.provider.sent()).toEqual([]);
  });

  test('when it could not be sent for a day, although its channel did not work', async () => {
    const clinic = await newClinic();
    const phone = await patientOf(clinic);
    m.provider.next('/messages', m.provider.refusal(401, 190));
    const { id } = await m.conversations.reply({ phone, message: 'Hola' }, clinic.user);
    await waitFor(async () => (await m.channels.getChannelStatus({}, clinic.admin)).status === 'failed');
    clock.advance(25 * 3_600_000);
    await waitFor(async () => (await rowOf(id)).state === 'failed');
    expect(await statusOf(clinic, phone, id)).toMatchObject({ status: 'failed', error: expect.stringMatching(/access token/) });
  });
});

test('no index of messages has a column that changes while they are sent, so that a change of the state writes to one page', async () => {
  const columns = await m.look(`select distinct a.attname as name from pg_depend d join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where d.classid = 'pg_class'::regclass and d.objid in (select indexrelid from pg_index where indrelid = 'outbound'::regclass) order by 1`);
  expect(columns.map(({ name }) => name)).toEqual(['answers', 'clinic_id', 'kind', 'phone', 'reference', 'seq']);
});

test('one number sends at most 80 messages a second, and one phone gets at most 45 at once', async () => {
  const clinic = await newClinic();
  const phone = await patientOf(clinic);
  const many = Array.from({ length: 60 }, (_, index) => `+50379${String(index).padStart(6, '0')}`);
  clock.stop();
  for (let index = 0; index < 50; index++) await store(clinic, { phone, content: { text: String(index) } });
  const sentTo = (to: string) => m.provider.sent().filter((body) => body.to === to.slice(1));
  await waitFor(() => sentTo(phone).length === 45);
  for (const other of many) await store(clinic, { phone: other, content: { text: 'Hola', template: { name: 'hello', language: 'es', variables: [] } } });
  await waitFor(() => m.provider.sent().length === 80);
  await new Promise((resolve) => setTimeout(resolve, 1_300)); // longer than the sender sleeps
  expect(m.provider.sent()).toHaveLength(80);
  expect(sentTo(phone).map(({ text }) => text.body)).toEqual(Array.from({ length: 45 }, (_, index) => String(index)));
  clock.go();
  clock.advance(1_100);
  await waitFor(() => m.provider.sent().length === 105);
});
