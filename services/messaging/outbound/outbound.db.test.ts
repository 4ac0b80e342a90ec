// Sending: format, order, limits, failures that are retried and failures that are final.
import { randomUUID } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { transportFrom } from '@clinic/lib/rpc/context.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { BookingCodeService } from '@clinic/proto/messaging/v1/booking_code_pb.js';
import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { statusDelivery } from '../testing/messaging.ts';
import { type Clinic, type OutboundFixture, startOutbound } from '../testing/outbound.ts';
import { applyStatuses } from './apply-statuses.ts';
import { sendLater } from './send.ts';

let o: OutboundFixture;
beforeAll(async () => {
  o = await startOutbound();
});
beforeEach(() => {
  o.m.provider.forget();
  o.m.answers.listUsers = () => ({ users: [], total: 0 });
});
afterAll(() => o.stop());

describe('a message', () => {
  test('is sent in the provider’s format with its id, and is in its conversation', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    const { id } = await o.m.conversations.reply({ phone, message: 'Con gusto' }, clinic.user);
    await o.reaches(id, 'sent');
    expect(o.m.provider.sent()).toEqual([
      {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: phone.slice(1),
        type: 'text',
        text: { body: 'Con gusto', preview_url: false },
        biz_opaque_callback_data: id,
      },
    ]);
    const { messages } = await o.m.conversations.listMessages({ phone }, clinic.user);
    expect(messages[0]).toMatchObject({ id, direction: 'out', sender: 'user', status: 'sent', text: 'Con gusto' });
    expect((await o.m.conversations.listConversations({}, clinic.user)).conversations[0]).toMatchObject({ mode: 'human', unreadCount: 0 });
  });

  test('with a reference is stored once, and its states are published', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    const reference = randomUUID();
    const [first, second] = await Promise.all([o.store(clinic, { phone, reference }), o.store(clinic, { phone, reference })]);
    const id = (first ?? second)?.id ?? '';
    expect([first, second].filter(Boolean)).toHaveLength(1);
    const { provider_id } = await o.reaches(id, 'sent');
    await o.m.deliver(statusDelivery(clinic.numberId, { id: provider_id, status: 'delivered' }));
    await o.reaches(id, 'delivered');
    expect((await o.published(reference)).map(({ status }) => status)).toEqual(['sent', 'delivered']);
  });

  test('that was stored before the clock was set back is sent before later ones', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    const ahead = new Date(o.clock.now().getTime() + 192_000);
    await o.store(clinic, { phone, content: { text: 'alfa' }, now: ahead });
    for (const text of ['beta', 'gama']) await o.store(clinic, { phone, content: { text } });
    await waitFor(() => expect(o.m.provider.sent().map(({ text }) => text?.body)).toEqual(['alfa', 'beta', 'gama']));
  });

  test('outside the window is a template; a reply without a template is refused', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    o.clock.advance(25 * 3_600_000);
    await expect(o.m.conversations.reply({ phone, message: 'Hola' }, clinic.user)).rejects.toMatchObject({ reason: 'CHAT_WINDOW_CLOSED' });
    const template = { name: 'reminder', language: 'es', variables: ['Ana', 'lunes\n9:00'], payloads: ['confirm:1'] };
    await o.reaches((await o.store(clinic, { phone, content: { text: 'Hola', template } }))?.id ?? '', 'sent');
    const replied = await o.m.conversations.reply({ phone, message: '', template: { name: 'hello', language: 'es', variables: [] } }, clinic.user);
    await o.reaches(replied.id, 'sent');
    expect(o.m.provider.sent().map(({ type, template }) => [type, template])).toEqual([
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

  test('with the code of an online booking is a template, sent once, and its conversation does not show the code; without a connected number it is a mail', async () => {
    const clinic = await o.newClinic();
    const codes = createClient(BookingCodeService, transportFrom('scheduling', o.m.service.transport));
    const code = () => ({ bookingId: randomUUID(), code: '012345', phone: o.newPhone(), email: 'rosa@example.com', name: 'Rosa' });
    const byChat = code();
    for (let time = 0; time < 2; time++) expect(await codes.sendBookingCode(byChat, asService('scheduling', clinic.id))).toMatchObject({ channel: 'chat' });
    await waitFor(() => o.m.provider.sent().length > 0);
    const parameters = ['Sonrisa', '012345'].map((text) => ({ type: 'text', text }));
    expect(o.m.provider.sent().map(({ type, to, template }) => [type, to, template])).toEqual([
      ['template', byChat.phone.slice(1), { name: 'booking_code', language: { code: 'es' }, components: [{ type: 'body', parameters }] }],
    ]);
    expect(await o.m.look('select 1 from outbound where reference = $1', [byChat.bookingId])).toHaveLength(1);
    const shown = 'Su código para confirmar la cita en Sonrisa es ······.';
    const { messages } = await o.m.conversations.listMessages({ phone: byChat.phone }, clinic.user);
    const { conversations } = await o.m.conversations.listConversations({}, clinic.user);
    expect([messages[0]?.text, conversations[0]?.lastMessage]).toEqual([expect.stringContaining(shown), expect.stringContaining(shown)]);

    await o.m.look("update channels set status = 'verifying', retry_at = $2 where clinic_id = $1", [clinic.id, new Date(o.clock.now().getTime() + 3_600_000)]);
    for (const [email, channel] of [
      ['rosa@example.com', 'mail'],
      ['', 'chat'],
    ])
      expect(await codes.sendBookingCode({ ...code(), email: email ?? '' }, asService('scheduling', clinic.id))).toMatchObject({ channel });

    const unconnected = asService('scheduling', randomUUID());
    const byMail = code();
    for (let time = 0; time < 2; time++) expect(await codes.sendBookingCode(byMail, unconnected)).toMatchObject({ channel: 'mail' });
    expect(await o.m.look("select 1 from mails where kind = 'booking_code' and reference = $1", [byMail.bookingId])).toHaveLength(1);
    expect(await codes.sendBookingCode({ ...code(), email: '' }, unconnected)).toMatchObject({ channel: '' });
  });

  test('that is composed when it is sent waits for another one that was claimed with it and is for the same phone', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    o.m.answers.renderRecallMessage = () => ({ send: true, phone, text: 'Le esperamos' });
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    o.m.provider.next('/messages', { wait: () => answered });
    await inTenant(o.m.service.db, clinic.id, async (tx) => {
      for (let i = 0; i < 2; i++) await sendLater(tx, clinic.id, { kind: 'recall', contactId: randomUUID() }, {}, o.clock.now());
    });
    const states = async () =>
      (await o.m.look('select state from outbound where clinic_id = $1 and phone is not null order by state', [clinic.id])).map(({ state }) => state);
    await waitFor(async () => (await states()).join() === 'queued,sending');
    expect(o.m.provider.sent()).toHaveLength(1);
    resolve();
    await waitFor(async () => (await states()).join() === 'sent,sent');
  });

  test('that the provider refuses as outside the window is sent once more, as the template', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    o.m.provider.next('/messages', o.m.provider.refusal(400, 131047));
    o.m.answers.renderRecallMessage = () => ({ send: true, phone, text: 'Le toca su control' });
    await inTenant(o.m.service.db, clinic.id, (tx) => sendLater(tx, clinic.id, { kind: 'recall', contactId: randomUUID() }, {}, o.clock.now()));
    await waitFor(() => o.m.provider.sent().length === 2);
    expect(o.m.provider.sent().map(({ type, text, template }) => [type, text?.body ?? template.name])).toEqual([
      ['text', 'Le toca su control'],
      ['template', 'recall_message'],
    ]);
    o.m.provider.next('/messages', o.m.provider.refusal(400, 131047));
    const row = await o.reaches((await o.store(clinic, { phone }))?.id ?? '', 'failed');
    expect(row.error_code).toBe('131047');
  });
});

describe('a failure', () => {
  test('that is transient is retried, and later messages to the same phone wait, unless they are more urgent', async () => {
    const clinic = await o.newClinic();
    const [phone, other] = [await o.patientOf(clinic), await o.patientOf(clinic)];
    o.clock.stop();
    o.m.provider.next('/messages', o.m.provider.refusal(500, 131000));
    const first = (await o.store(clinic, { phone, content: { text: 'uno' } }))?.id ?? '';
    await waitFor(async () => (await o.rowOf(first)).error_code === '131000');
    const waiting = (await o.m.outbound.listDeadLetters({ state: 'retrying' }, asOperator())).deadLetters.find(({ id }) => id === first);
    expect(waiting).toMatchObject({ channel: 'chat', status: 'retrying', attempts: 1, errorCode: '131000', nextAttemptAt: expect.anything() });
    const second = (await o.store(clinic, { phone, content: { text: 'dos' } }))?.id ?? '';
    await o.reaches((await o.store(clinic, { phone: other }))?.id ?? '', 'sent');
    expect((await o.rowOf(second)).state).toBe('queued');
    await o.reaches((await o.store(clinic, { phone, content: { text: 'urgente' }, priority: 0 }))?.id ?? '', 'sent');
    o.clock.go();
    o.clock.advance(3_000);
    await o.reaches(second, 'sent');
    expect(
      o.m.provider
        .sent()
        .filter(({ to }) => to === phone.slice(1))
        .map(({ text }) => text.body),
    ).toEqual(['uno', 'urgente', 'uno', 'dos']);
  });

  test('of mails is listed with the time of the next attempt, which is stored with the job', async () => {
    const mails = [undefined, '2099-06-01T10:00:00.000Z', '2099-06-01T11:00:00.000Z'].map((at) => ({ id: randomUUID(), at }));
    for (const { id, at } of mails) {
      await o.m.look(
        `insert into mails (id, kind, attempts, next_attempt_at, error, created_at, updated_at) values ($1, 'agenda', 1, now(), 'ECONNREFUSED', now(), $2)`,
        [id, at ?? new Date()],
      );
      if (at) await o.m.look("insert into messaging_jobs.job (name, data, state, start_after) values ('send-mail', $1, 'retry', $2)", [{ id, first: 0 }, at]);
    }
    const ids: string[] = mails.map(({ id }) => id);
    try {
      const { deadLetters } = await o.m.outbound.listDeadLetters({ state: 'retrying' }, asOperator());
      const own = deadLetters.filter(({ id }) => ids.includes(id));
      expect(own.map(({ nextAttemptAt }) => nextAttemptAt && timestampDate(nextAttemptAt).toISOString())).toEqual([
        '2099-06-01T11:00:00.000Z',
        '2099-06-01T10:00:00.000Z',
        undefined,
      ]);
    } finally {
      await o.m.look("delete from messaging_jobs.job where data ->> 'id' = any($1)", [ids]);
      await o.m.look('delete from mails where id = any($1)', [ids]);
    }
  });

  test('that is permanent ends in a dead letter, which an operator can replay', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    o.m.provider.next('/messages', o.m.provider.refusal(400, 132001, 'Template does not exist'));
    const { id } = (await o.store(clinic, { phone })) ?? { id: '' };
    await o.reaches(id, 'dead');
    const { deadLetters } = await o.m.outbound.listDeadLetters({}, asOperator());
    expect(deadLetters[0]).toMatchObject({ id, channel: 'chat', clinicId: clinic.id, kind: 'test', errorCode: '132001', attempts: 1 });
    await o.m.outbound.replayDeadLetter({ id }, asOperator('maria'));
    expect(await o.m.look("select actor_id from audit_log where action = 'dead_letter.replayed' and entity_id = $1", [id])).toEqual([{ actor_id: 'maria' }]);
    await o.reaches(id, 'sent');
    await expect(o.m.outbound.replayDeadLetter({ id }, asOperator())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('that is the provider’s own is retried until the message is too old, and does not count for failures after it', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    o.m.provider.next('/messages', ...Array.from({ length: 8 }, () => o.m.provider.refusal(503, 0)), o.m.provider.refusal(400, 131000));
    const { id } = (await o.store(clinic, { phone })) ?? { id: '' };
    for (let attempt = 1; attempt <= 9; attempt++) {
      await waitFor(async () => (await o.rowOf(id)).attempts === attempt && (await o.rowOf(id)).state === 'queued');
      o.clock.advance(15 * 60_000);
    }
    expect((await o.reaches(id, 'sent')).failures).toBe(1);
  });

  test('is retried six times at most, and again after a replay', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    o.m.provider.next('/messages', ...Array.from({ length: 6 }, () => o.m.provider.refusal(400, 131000)));
    const { id } = (await o.store(clinic, { phone })) ?? { id: '' };
    for (let attempt = 1; attempt < 6; attempt++) {
      await waitFor(async () => (await o.rowOf(id)).attempts === attempt && (await o.rowOf(id)).state === 'queued');
      o.clock.advance(15 * 60_000);
    }
    expect((await o.reaches(id, 'dead')).attempts).toBe(6);
    o.m.provider.next('/messages', o.m.provider.refusal(400, 131000));
    await o.m.outbound.replayDeadLetter({ id }, asOperator());
    await waitFor(() => o.m.provider.sent().length === 7);
    o.clock.advance(15 * 60_000);
    expect((await o.reaches(id, 'sent')).failures).toBe(1);
  });

  test.each([
    ['in the response', 131048],
    ['with a later status', 131064],
  ])('because of the quality of messages %s makes only the recall messages of the clinic wait, for six hours', async (when, code) => {
    const [clinic, other] = [await o.newClinic(), await o.newClinic()];
    const phones = new Map<string, string>();
    o.m.answers.renderRecallMessage = ({ contactId }: { contactId: string }) => ({ send: true, phone: phones.get(contactId), text: 'Le toca su control' });
    async function recall(of: Clinic): Promise<string> {
      const contactId = randomUUID();
      phones.set(contactId, await o.patientOf(of));
      await inTenant(o.m.service.db, of.id, (tx) => sendLater(tx, of.id, { kind: 'recall', contactId }, { priority: 2 }, o.clock.now()));
      return (await o.m.look('select id from outbound where reference = $1', [contactId]))[0].id;
    }
    const waits = (id: string, attempts: number) =>
      waitFor(async () => expect(await o.rowOf(id)).toMatchObject({ state: 'queued', error_code: 'recalls_paused', attempts, failures: 0 }));
    if (when === 'in the response') o.m.provider.next('/messages', o.m.provider.refusal(400, code));
    const refused = await recall(clinic);
    if (when !== 'in the response') {
      const errors = [{ code, title: 'refused' }];
      await o.m.deliver(statusDelivery(clinic.numberId, { id: (await o.reaches(refused, 'sent')).provider_id, status: 'failed', errors }));
    }
    await waits(refused, 1);
    const queued = await recall(clinic);
    await waits(queued, 0);
    const { phone } = await o.rowOf(refused);
    await o.reaches((await o.store(clinic, { phone, priority: 2 }))?.id ?? '', 'sent');
    await o.reaches(await recall(other), 'sent');
    expect(o.m.provider.sent()).toHaveLength(3);
    o.clock.advance(6 * 3_600_000 + 60_000);
    for (const id of [refused, queued]) await o.reaches(id, 'sent');
  });

  test.each([
    ['in the response', 190, /access token/],
    ['with a later status', 131042, /payment method/],
  ])('of the account %s stops the channel, the messages wait, and the admins get one mail', async (when, code, detail) => {
    const clinic = await o.newClinic();
    const users = ['admin', 'receptionist'].map((appRole) => ({ id: randomUUID(), fullName: 'Ana', email: 'ana@clinic.example', appRole, isActive: true }));
    o.m.answers.listUsers = () => ({ users, total: users.length });
    const phones = [await o.patientOf(clinic), await o.patientOf(clinic)];
    const { promise: bothCalled, resolve } = Promise.withResolvers<void>();
    const refused = { ...o.m.provider.refusal(401, code), wait: () => bothCalled };
    if (when === 'in the response') o.m.provider.next('/messages', refused, refused);
    const ids: string[] = [];
    for (const phone of phones) ids.push((await o.store(clinic, { phone }))?.id ?? '');
    await waitFor(() => o.m.provider.sent().length === 2);
    resolve();
    if (when !== 'in the response') {
      const errors = [{ code, title: 'refused' }];
      for (const id of ids) await o.m.deliver(statusDelivery(clinic.numberId, { id: (await o.reaches(id, 'sent')).provider_id, status: 'failed', errors }));
    }
    for (const id of ids) expect((await o.reaches(id, 'queued')).error_code).toBe(String(code));
    expect(await o.m.channels.getChannelStatus({}, clinic.admin)).toMatchObject({ status: 'failed', detail: expect.stringMatching(detail) });
    const jobs = "select 1 from messaging_jobs.job where name = 'notify-channel-failed' and data->>'clinicId' = $1";
    expect(await o.m.look(jobs, [clinic.id])).toHaveLength(1);
    const mails = "select kind, reference like '%/' || $1 as to_admin from mails where reference like any(select '%/' || unnest($2::text[]))";
    await waitFor(async () =>
      expect(await o.m.look(mails, [users[0]?.id, users.map(({ id }) => id)])).toEqual([{ kind: 'chat_channel_failed', to_admin: true }]),
    );
    await o.m.channels.updateChannelSettings({ chatAccessToken: 'EAAGanother-token' }, clinic.admin);
    for (const id of ids) await o.reaches(id, 'sent');
  });

  test.each([
    ['stops the channel', 131042],
    ['pauses the recall messages', 131048],
  ])('that %s of a clinic locks its channel in the order of the clinics, whatever the order of the statuses', async (_, code) => {
    const clinics = [await o.newClinic(), await o.newClinic()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const failed: { clinicId: string; numberId: string; providerId: string }[] = [];
    for (const clinic of clinics) {
      const { id } = (await o.store(clinic, { phone: await o.patientOf(clinic) })) ?? { id: '' };
      failed.push({ clinicId: clinic.id, numberId: clinic.numberId, providerId: (await o.reaches(id, 'sent')).provider_id });
    }
    const [first, second] = failed.map((one, index) => ({ ...one, callback: '', status: 'failed' as const, code: [131042, code][index] ?? 0, message: '' }));
    if (!first || !second) throw new Error('there are two clinics');
    const { ownerUrl } = o.m.service.database;
    const other = new pg.Client({ connectionString: ownerUrl });
    await other.connect();
    await other.query('begin');
    const lock = (clinicId: string) => other.query('select from messaging.channels where clinic_id = $1 for no key update nowait', [clinicId]);
    await lock(first.clinicId);
    const applying = asSystem(o.m.service.db, async (tx) => {
      await applyStatuses(tx, createLog('test', 'silent'), [second, first], o.clock.now());
      throw new Error('rolled back'); // so that no message waits to be sent during another test
    });
    const rolledBack = expect(applying).rejects.toThrow('rolled back');
    await waitForLocked(ownerUrl);
    await lock(second.clinicId).finally(() => other.end());
    await rolledBack;
  });

  test('of a token that was replaced during the call does not stop the channel', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    const { promise: replaced, resolve } = Promise.withResolvers<void>();
    o.m.provider.next('/messages', { ...o.m.provider.refusal(401, 190), wait: () => replaced });
    const { id } = (await o.store(clinic, { phone })) ?? { id: '' };
    await waitFor(() => o.m.provider.sent().length === 1);
    await o.m.channels.updateChannelSettings({ chatAccessToken: 'EAAGanother-token' }, clinic.admin);
    await waitFor(async () => (await o.m.channels.getChannelStatus({}, clinic.admin)).status === 'active');
    resolve();
    await o.reaches(id, 'sent');
    expect((await o.m.channels.getChannelStatus({}, clinic.admin)).status).toBe('active');
  });

  test('cannot stop the registration of a number: messages wait for it', async () => {
    const [clinic, other] = [await o.newClinic(), await o.newClinic()];
    const [phone, later] = [await o.patientOf(clinic), await o.patientOf(other)];
    await o.m.look("update channels set status = 'verifying', retry_at = $2 where clinic_id = $1", [clinic.id, new Date(o.clock.now().getTime() + 3_600_000)]);
    const { id } = (await o.store(clinic, { phone })) ?? { id: '' };
    await o.reaches((await o.store(other, { phone: later }))?.id ?? '', 'sent');
    expect(await o.rowOf(id)).toMatchObject({ state: 'queued', attempts: 0 });
    await o.m.look("update channels set status = 'active' where clinic_id = $1", [clinic.id]);
    await o.reaches(id, 'sent');
  });
});

describe('a message that can never be sent fails, with a reason that the staff see', () => {
  const statusOf = async (clinic: Clinic, phone: string, id: string) =>
    (await o.m.conversations.listMessages({ phone }, clinic.user)).messages.find((one) => one.id === id);

  test('when the number is disconnected before it is sent', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    o.m.provider.next('/messages', o.m.provider.refusal(500, 131000));
    const { id } = await o.m.conversations.reply({ phone, message: 'Hola' }, clinic.user);
    await waitFor(async () => (await o.rowOf(id)).attempts === 1 && (await o.rowOf(id)).state === 'queued');
    await o.m.look("update channels set status = 'disconnected' where clinic_id = $1", [clinic.id]);
    await waitFor(async () => (await o.rowOf(id)).state === 'failed');
    expect(await statusOf(clinic, phone, id)).toMatchObject({ status: 'failed', error: 'The clinic has no connected chat number' });
  });

  test('when the phone cannot receive it, the template does not exist, or the window has closed', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    const sent = async (message: string, template?: { name: string; language: string; variables: string[] }) => {
      const { id } = await o.m.conversations.reply({ phone, message, ...(template && { template }) }, clinic.user);
      return waitFor(async () => {
        const found = await statusOf(clinic, phone, id);
        return found?.status !== 'queued' && [found?.status, found?.error];
      });
    };
    o.m.provider.next('/messages', o.m.provider.refusal(400, 131026));
    expect(await sent('Hola')).toEqual(['failed', 'The phone cannot receive chat messages']);
    o.m.provider.next('/messages', o.m.provider.refusal(400, 132001));
    expect(await sent('', { name: 'x', language: 'es', variables: [] })).toEqual(['failed', 'The template does not exist in this language']);
    const { id } = (await o.store(clinic, { phone, due_at: new Date(o.clock.now().getTime() + 3_600_000) })) ?? { id: '' };
    await o.m.look('update conversations set window_expires_at = now() where clinic_id = $1', [clinic.id]);
    o.m.provider.forget();
    await o.m.look('update outbound set next_attempt_at = now() where id = $1', [id]);
    expect((await o.reaches(id, 'failed')).error_code).toBe('131047');
    expect(o.m.provider.sent()).toEqual([]);
  });

  test('when the user has stopped such messages at the provider, who is then opted out of recalls', async () => {
    const clinic = await o.newClinic();
    const optedOut: unknown[] = [];
    o.m.answers.setRecallOptOut = (request: object) => {
      optedOut.push(request);
      return {};
    };
    const inResponse = await o.patientOf(clinic);
    o.m.provider.next('/messages', o.m.provider.refusal(400, 131050));
    const first = await o.store(clinic, { phone: inResponse });
    expect((await o.reaches(first?.id ?? '', 'failed')).error_code).toBe('131050');
    const later = await o.patientOf(clinic);
    const second = await o.store(clinic, { phone: later });
    const { provider_id } = await o.reaches(second?.id ?? '', 'sent');
    await o.m.deliver(statusDelivery(clinic.numberId, { id: provider_id, status: 'failed', errors: [{ code: 131050, title: 'User stopped' }] }));
    await o.reaches(second?.id ?? '', 'failed');
    await waitFor(() => expect(optedOut).toMatchObject([{ phone: inResponse }, { phone: later }]));
  });

  test('when it could not be sent for a day because its channel did not work', async () => {
    const clinic = await o.newClinic();
    const phone = await o.patientOf(clinic);
    o.m.provider.next('/messages', o.m.provider.refusal(401, 190));
    const { id } = await o.m.conversations.reply({ phone, message: 'Hola' }, clinic.user);
    await waitFor(async () => (await o.m.channels.getChannelStatus({}, clinic.admin)).status === 'failed');
    o.clock.advance(25 * 3_600_000);
    await waitFor(async () => (await o.rowOf(id)).state === 'failed');
    expect(await statusOf(clinic, phone, id)).toMatchObject({ status: 'failed', error: expect.stringMatching(/access token/) });
  });
});

test('a number sends at most 80 messages a second, and a phone receives at most 45 at once', async () => {
  const clinic = await o.newClinic();
  const phone = await o.patientOf(clinic);
  const many = Array.from({ length: 60 }, (_, index) => `+50379${String(index).padStart(6, '0')}`);
  o.clock.stop();
  for (let index = 0; index < 50; index++) await o.store(clinic, { phone, content: { text: String(index) } });
  const sentTo = (to: string) => o.m.provider.sent().filter((body) => body.to === to.slice(1));
  await waitFor(() => sentTo(phone).length === 45);
  for (const other of many) await o.store(clinic, { phone: other, content: { text: 'Hola', template: { name: 'hello', language: 'es', variables: [] } } });
  await waitFor(() => o.m.provider.sent().length === 80);
  await new Promise((resolve) => setTimeout(resolve, 1_300)); // longer than the interval at which waiting messages are noticed
  expect(o.m.provider.sent()).toHaveLength(80);
  expect(sentTo(phone).map(({ text }) => text.body)).toEqual(Array.from({ length: 45 }, (_, index) => String(index)));
  o.clock.go();
  o.clock.advance(1_100);
  await waitFor(() => o.m.provider.sent().length === 105);
});

test('no index of outbound has a column that changes while a message is sent, so that a change of the state updates no index', async () => {
  const columns = await o.m.look(`select distinct a.attname as name from pg_depend d join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where d.classid = 'pg_class'::regclass and d.objid in (select indexrelid from pg_index where indrelid = 'outbound'::regclass) order by 1`);
  expect(columns.map(({ name }) => name)).toEqual(['answers', 'clinic_id', 'kind', 'phone', 'reference', 'seq']);
});

test('the actions of operators have an index in each service that lists them', async () => {
  const found = await o.m.look("select schemaname as service from pg_indexes where indexname = 'audit_log_operators' order by 1");
  expect(found.map(({ service }) => service)).toEqual(['billing', 'identity', 'messaging', 'platform']);
});
