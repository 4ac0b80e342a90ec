// Connecting a number: the calls of the provider in their order, and the meaning of its refusals.
import { randomUUID } from 'node:crypto';
import { inTenant } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { asAdmin, asUser } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Messaging, startMessaging } from '../testing/messaging.ts';

let m: Messaging;
beforeAll(async () => {
  m = await startMessaging();
});
beforeEach(() => m.provider.forget());
afterAll(() => m.stop());

const START = { phone: '+50370001234', otpMethod: 'sms', wabaId: '1000', accessToken: 'EAAGsecret-token' };
const start = (clinicId: string, changes: Partial<typeof START> = {}) => m.channels.startChannel({ ...START, ...changes }, asAdmin(clinicId));
const verify = (clinicId: string, code = '123456') => m.channels.verifyChannelOtp({ code }, asAdmin(clinicId));
const statusOf = (clinicId: string) => m.channels.getChannelStatus({}, asAdmin(clinicId));

describe('a number', () => {
  test('is connected by the calls of the provider in their order, which switches the bot on', async () => {
    const id = randomUUID();
    expect(await statusOf(id)).toMatchObject({ status: 'disconnected', number: '' });
    expect(await start(id)).toMatchObject({ status: 'pending_otp' });
    expect(await statusOf(id)).toMatchObject({ status: 'pending_otp', detail: expect.stringContaining('+50370001234') });
    expect(await verify(id)).toMatchObject({ status: 'active' });
    expect(m.provider.seen.map(({ method, path }) => `${method} ${path.replace(/number-[\d-]+/, 'N').replace(/\?.*/, '')}`)).toEqual([
      'POST /1000/phone_numbers',
      'POST /N/request_code',
      'POST /N/verify_code',
      'GET /N',
      'POST /N/register',
      'POST /1000/subscribed_apps',
    ]);
    const [add, request, code, , register] = m.provider.seen;
    expect(add).toMatchObject({ token: 'Bearer EAAGsecret-token', body: { cc: '503', phone_number: '50370001234', verified_name: 'Sonrisa' } });
    expect(request?.body).toEqual({ code_method: 'SMS', language: 'es_ES' });
    expect(code?.body).toEqual({ code: '123456' });
    expect(register?.body).toEqual({ messaging_product: 'whatsapp', pin: expect.stringMatching(/^\d{6}$/) });
    expect(await statusOf(id)).toMatchObject({ status: 'active', number: '+503 7000 0000' });
    expect(await m.channels.getChannelSettings({}, asUser(id))).toMatchObject({
      chatAccessToken: 'EAAGsecr****',
      chatBusinessAccountId: '1000',
      botEnabled: true,
    });
    const [row] = await m.look('select c::text as text from channels c where clinic_id = $1', [id]);
    expect(row.text).not.toContain('secret');
  });

  test('is disconnected: deregistered at the provider, the bot is off, and another clinic may connect it', async () => {
    const id = randomUUID();
    await start(id);
    await verify(id);
    expect(await m.channels.disconnectChannel({}, asAdmin(id))).toMatchObject({ status: 'disconnected' });
    expect(m.provider.seen.at(-1)).toMatchObject({ method: 'POST', path: expect.stringMatching(/\/deregister$/) });
    expect(await m.channels.getChannelSettings({}, asUser(id))).toMatchObject({ chatStatus: 'disconnected', botEnabled: false });
    expect((await m.channels.getChannelSettings({}, asUser(id))).chatAccessToken).toBeUndefined();
  });

  test('that is registered again keeps its PIN', async () => {
    const id = randomUUID();
    await start(id);
    await verify(id);
    await m.channels.disconnectChannel({}, asAdmin(id));
    await start(id);
    await verify(id);
    const pins = m.provider.seen.filter(({ path }) => path.endsWith('/register')).map(({ body }) => body.pin);
    expect([pins.length, new Set(pins).size]).toEqual([2, 1]);
  });

  test('that the account has already is found there', async () => {
    const id = randomUUID();
    m.provider.next('/phone_numbers', m.provider.refusal(409, 100, 'Phone number is already registered with WhatsApp Business'), {
      body: { data: [{ id: 'pn-known', display_phone_number: '+503 7000-1234' }] },
    });
    await start(id);
    expect((await m.channels.getChannelSettings({}, asUser(id))).chatPhoneNumberId).toBe('pn-known');
  });
});

describe('refusals', () => {
  test('after a wrong code another one can be entered', async () => {
    const id = randomUUID();
    await start(id);
    m.provider.next(
      '/verify_code',
      m.provider.refusal(400, 136025, 'Wrong code'),
      m.provider.refusal(422, 100, 'The verification code is invalid or has expired'),
    );
    await expect(verify(id)).rejects.toMatchObject({ reason: 'INVALID_OTP' });
    await expect(verify(id)).rejects.toMatchObject({ reason: 'INVALID_OTP' });
    expect((await statusOf(id)).status).toBe('pending_otp');
    expect(await verify(id)).toMatchObject({ status: 'active' });
  });

  test.each([
    ['/phone_numbers', 401, 190, 'Invalid OAuth access token', /access token/],
    ['/request_code', 400, 136024, 'Request code error', /code/],
    ['/phone_numbers', 403, 200, 'You have reached the maximum number', /token/],
  ])('of %s with %i/%i are reported with the provider’s message, and the status is failed', async (path, status, code, message, detail) => {
    const id = randomUUID();
    m.provider.next(path, m.provider.refusal(status, code, message));
    await expect(start(id)).rejects.toMatchObject({ reason: 'CHAT_PROVIDER_ERROR', message });
    expect(await statusOf(id)).toMatchObject({ status: 'failed', detail: expect.stringMatching(detail) });
  });

  test('that are transient are retried once', async () => {
    const id = randomUUID();
    m.provider.next('/request_code', m.provider.refusal(429, 4, 'limit'));
    expect(await start(id)).toMatchObject({ status: 'pending_otp' });
    m.provider.next('/verify_code', { hang: true });
    expect(await verify(id)).toMatchObject({ status: 'active' });
  });

  test('after the correct code are retried: verifying, then active', async () => {
    const id = randomUUID();
    await start(id);
    m.provider.next('/register', m.provider.refusal(500, 2, 'later'));
    expect(await verify(id)).toMatchObject({ status: 'verifying' });
    expect((await statusOf(id)).detail).toMatch(/tried again/);
    const [{ retry_at }] = await m.look('select retry_at from channels where clinic_id = $1', [id]);
    expect(retry_at.getTime()).toBeGreaterThan(Date.now());
    await m.look('update channels set retry_at = now() where clinic_id = $1', [id]);
    await inTenant(m.service.db, id, (tx) => enqueue(tx, 'finish-bindings', {}));
    await waitFor(async () => (await statusOf(id)).status === 'active');
    const pins = m.provider.seen.filter(({ path }) => path.endsWith('/register')).map(({ body }) => body.pin);
    expect(new Set(pins).size).toBe(1);
  });

  test('after the correct code that are permanent are failures', async () => {
    const id = randomUUID();
    await start(id);
    m.provider.next('/register', m.provider.refusal(400, 133005, 'PIN mismatch'));
    expect(await verify(id)).toMatchObject({ status: 'failed' });
    expect((await statusOf(id)).detail).toMatch(/PIN/);
  });

  test('a code needs a start before it, and only admins connect numbers', async () => {
    await expect(verify(randomUUID())).rejects.toMatchObject({ reason: 'CHAT_NOT_STARTED' });
    await expect(m.channels.startChannel(START, asUser(randomUUID()))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  });
});

describe('settings', () => {
  test('a number entered by hand is checked, and the masked token means no change', async () => {
    const id = randomUUID();
    const given = { chatPhoneNumberId: `pn-${id}`, chatBusinessAccountId: '77', chatAccessToken: 'EAAGanother', chatVerifyToken: 'v' };
    expect(await m.channels.updateChannelSettings(given, asAdmin(id))).toMatchObject({ chatStatus: 'verifying', chatVerifyToken: 'v' });
    await waitFor(async () => (await statusOf(id)).status === 'active');
    expect(m.provider.seen.map(({ path }) => path.replace(/\?.*/, ''))).toEqual([`/pn-${id}`, '/77/subscribed_apps']);
    const after = await m.channels.updateChannelSettings({ chatAccessToken: 'EAAGanot****', botEnabled: true }, asAdmin(id));
    expect(after).toMatchObject({ chatAccessToken: 'EAAGanot****', chatStatus: 'active', botEnabled: true });
    const [event] = await m.look("select payload from outbox where clinic_id = $1 and subject like '%clinic-channel-updated' order by id desc limit 1", [id]);
    expect(event.payload).toMatchObject({ status: 'active', botEnabled: true });
  });
});
