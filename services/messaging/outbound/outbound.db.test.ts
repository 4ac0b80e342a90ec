// From a stored message to the provider and back: not repeated while the provider may have it, in order, and bounded.
import { randomUUID } from 'node:crypto';
import { inTenant } from '@clinic/lib/db/db.ts';
import { asOperator } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { delivery, type Messaging, startMessaging, statusDelivery } from '../testing/messaging.ts';
import { type ShiftedClock, shiftedClock } from '../testing/shifted-clock.ts';
import { insertOutbound, type NewOutbound } from './outbound.sql.ts';

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

/** A patient who has just written, so that the window is open. */
async function patientOf(clinic: Clinic): Promise<string> {
  const digits = `503${++phones}`;
  await m.deliver(delivery(clinic.numberId, digits, { at: Math.floor(clock.now().getTime() / 1000) }));
  await m.settled();
  return `+${digits}`;
}
/** Stores a message to be sent; undefined when there is one with its reference. */
const store = (clinic: Clinic, { phone, ...given }: Partial<NewOutbound> & { phone: string }) =>
  inTenant(m.service.db, clinic.id, async (tx) => {
    const defaults = { id: randomUUID(), kind: 'test', reference: null, sender: 'system', sent_by: null, outside_window: null, answers: null } as const;
    const content = { type: 'text', text: 'Hola' } as const;
    const message = { ...defaults, content, priority: 1, resend: true, due_at: clock.now(), phone, ...given };
    return (await insertOutbound(tx, clinic.id, message, clock.now())) ? message : undefined;
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
    const clinic = await m.clinic();
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
    const clinic = await m.clinic();
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

  test('outside the window is a template when there is one; a reply without one is refused', async () => {
    const clinic = await m.clinic();
    const phone = await patientOf(clinic);
    clock.advance(25 * 3_600_000);
    await expect(m.conversations.reply({ phone, message: 'Hola' }, clinic.user)).rejects.toMatchObject({ reason: 'CHAT_WINDOW_CLOSED' });
    const outside_window = { type: 'template' as const, name: 'reminder', language: 'es', variables: ['Ana', 'lunes\n9:00'], payloads: ['confirm:1'] };
    await reaches((await store(clinic, { phone, outside_window }))?.id ?? '', 'sent');
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

  test('that the provider refuses outside the window is sent as the template, once', async () => {
    const clinic = await m.clinic();
    const phone = await patientOf(clinic);
    m.provider.next('/messages', m.provider.refusal(400, 131047));
    const outside_window = { type: 'template' as const, name: 'reminder', language: 'es', variables: [] };
    await reaches((await store(clinic, { phone, outside_window }))?.id ?? '', 'sent');
    expect(m.provider.sent().map(({ type }) => type)).toEqual(['text', 'template']);
    m.provider.next('/messages', m.provider.refusal(400, 131047));
    const row = await reaches((await store(clinic, { phone }))?.id ?? '', 'failed');
    expect(row.error_code).toBe('131047');
  });
});

describe('a failure', () => {
  test('that is transient is retried, and later messages to the same phone wait', async () => {
    const clinic = await m.clinic();
    const [phone, other] = [await patientOf(clinic), await patientOf(clinic)];
    m.provider.next('/messages', m.provider.refusal(500, 131000));
    const first = (await store(clinic, { phone, content: { type: 'text', text: 'uno' } }))?.id ?? '';
    await waitFor(async () => (await rowOf(first)).error_code === '131000');
    const second = (await store(clinic, { phone, content: { type: 'text', text: 'dos' } }))?.id ?? '';
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
    const clinic = await m.clinic();
    const phone = await patientOf(clinic);
    m.provider.next('/messages', m.provider.refusal(400, 132001, 'Template does not exist'));
    const { id } = (await store(clinic, { phone })) ?? { id: '' };
    await reaches(id, 'dead');
    const { deadLetters } = await m.outbound.listDeadLetters({}, asOperator());
    expect(deadLetters[0]).toMatchObject({ id, channel: 'chat', clinicId: clinic.id, kind: 'test', errorCode: '132001', attempts: 1 });
    await m.outbound.replayDeadLetter({ id }, asOperator());
    await reaches(id, 'sent');
    await expect(m.outbound.replayDeadLetter({ id }, asOperator())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('is retried six times at most', async () => {
    const clinic = await m.clinic();
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
    const clinic = await m.clinic();
    const phone = await patientOf(clinic);
    m.provider.next('/messages', m.provider.refusal(401, 190));
    const { id } = (await store(clinic, { phone })) ?? { id: '' };
    await waitFor(async () => (await m.channels.getChannelStatus({}, clinic.admin)).status === 'failed');
    expect((await m.channels.getChannelStatus({}, clinic.admin)).detail).toMatch(/access token/);
    expect((await rowOf(id)).state).toBe('queued');
    await m.channels.updateChannelSettings({ chatAccessToken: 'EAAGanother-token' }, clinic.admin);
    await reaches(id, 'sent');
  });
});

describe('a call without a response', () => {
  test('may have been delivered: the provider’s status decides, and nothing is sent again', async () => {
    const clinic = await m.clinic();
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

  test('that no status confirms is repeated, or given up when `resend` is false', async () => {
    const clinic = await m.clinic();
    const [phone, other] = [await patientOf(clinic), await patientOf(clinic)];
    m.provider.next('/messages', { hang: true }, { hang: true });
    const again = (await store(clinic, { phone }))?.id ?? '';
    const once = (await store(clinic, { phone: other, resend: false }))?.id ?? '';
    await Promise.all([reaches(again, 'uncertain'), reaches(once, 'uncertain')]);
    clock.advance(3 * 60_000);
    await Promise.all([reaches(again, 'sent'), reaches(once, 'dead')]);
    expect(m.provider.sent()).toHaveLength(3);
  });

  test('of a crashed worker is uncertain too', async () => {
    const clinic = await m.clinic();
    const phone = await patientOf(clinic);
    const { id } = (await store(clinic, { phone, due_at: new Date(clock.now().getTime() + 3_600_000) })) ?? { id: '' };
    await m.look("update outbound set state = 'sending', claimed_at = $2 where id = $1", [id, new Date(clock.now().getTime() - 120_000)]);
    await reaches(id, 'uncertain');
    expect(m.provider.sent()).toHaveLength(0);
  });
});

test('one number sends at most 80 messages a second, and one phone gets at most 45 at once', async () => {
  const clinic = await m.clinic();
  const phone = await patientOf(clinic);
  const many = Array.from({ length: 60 }, (_, index) => `+50379${String(index).padStart(6, '0')}`);
  clock.stop();
  for (let index = 0; index < 50; index++) await store(clinic, { phone, content: { type: 'text', text: String(index) } });
  const sentTo = (to: string) => m.provider.sent().filter((body) => body.to === to.slice(1));
  await waitFor(() => sentTo(phone).length === 45, 20_000);
  for (const other of many) await store(clinic, { phone: other });
  await waitFor(() => m.provider.sent().length === 80, 20_000);
  await new Promise((resolve) => setTimeout(resolve, 1_300)); // longer than the sender sleeps
  expect(m.provider.sent()).toHaveLength(80);
  expect(sentTo(phone).map(({ text }) => text.body)).toEqual(Array.from({ length: 45 }, (_, index) => String(index)));
  clock.go();
  clock.advance(1_100);
  await waitFor(() => m.provider.sent().length === 105, 20_000);
}, 60_000);
