// Connecting a number: the order of the calls to the provider, and the meaning of its refusals.
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
  test('is connected by calls to the provider in this order, which switches the bot on', async () => {
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
      'POST /1000/subscribed_apps',
      'POST /N/register',
    ]);
    const [add, request, code, , , register] = m.provider.seen;
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

  test('is disconnected: it is deregistered at the provider, the bot is off, and another clinic may connect it', async () => {
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

  test('that the account already has is found there', async () => {
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

  test.each([
    ['when they are due', '0'],
    ['at once if the clock was set back meanwhile', '2 hours'],
  ])('after the correct code are retried %s: verifying, then active', async (_, ahead) => {
    const id = randomUUID();
    await start(id);
    m.provider.next('/register', m.provider.refusal(500, 2, 'later'));
    expect(await verify(id)).toMatchObject({ status: 'verifying' });
    expect((await statusOf(id)).detail).toMatch(/will be retried/);
    const [{ retry_at }] = await m.look('select retry_at from channels where clinic_id = $1', [id]);
    expect(retry_at.getTime()).toBeGreaterThan(Date.now());
    await m.look('update channels set retry_at = now() + $2::interval where clinic_id = $1', [id, ahead]);
    await inTenant(m.service.db, id, (tx) => enqueue(tx, 'finish-bindings', {}));
    await waitFor(async () => (await statusOf(id)).status === 'active');
    const pins = m.provider.seen.filter(({ path }) => path.endsWith('/register')).map(({ body }) => body.pin);
    expect(new Set(pins).size).toBe(1);
  });

  test('when a process is killed after the correct code, a job continues', async () => {
    const id = randomUUID();
    await start(id);
    m.provider.next('/register', { hang: true });
    const answer = verify(id).catch(() => {});
    await waitFor(async () => m.provider.seen.some(({ path }) => path.endsWith('/register')));
    const [{ claimed }] = await m.look('select retry_at <= now() + interval $$20 s$$ as claimed from channels where clinic_id = $1', [id]);
    const [{ queued }] = await m.look(`
      select count(*)::int as queued from messaging_jobs.job
      where name = 'finish-bindings' and state < 'active' and start_after between now() + interval '10 s' and now() + interval '20 s'`);
    expect([claimed, queued > 0]).toEqual([true, true]);
    await answer;
  });

  test('of a code that was submitted twice do not disconnect the number that the first submission has connected', async () => {
    const id = randomUUID();
    await start(id);
    const { promise: connected, resolve } = Promise.withResolvers<void>();
    m.provider.next('/verify_code', { wait: () => connected, ...m.provider.refusal(400, 133008, 'Too many attempts') });
    const second = verify(id);
    await waitFor(() => m.provider.seen.some(({ path }) => path.endsWith('/verify_code')));
    expect(await verify(id)).toMatchObject({ status: 'active' });
    resolve();
    expect(await second).toMatchObject({ status: 'active' });
    expect(await statusOf(id)).toMatchObject({ status: 'active' });
  });

  test('after the correct code that are permanent fail the channel', async () => {
    const id = randomUUID();
    await start(id);
    m.provider.next('/register', m.provider.refusal(400, 133005, 'PIN mismatch'));
    await expect(verify(id)).rejects.toMatchObject({ reason: 'CHAT_PROVIDER_ERROR', message: 'PIN mismatch' });
    expect(await statusOf(id)).toMatchObject({ status: 'failed', detail: expect.stringMatching(/PIN/) });
  });

  test('of a number that is disconnected during the registration: the code is not confirmed', async () => {
    const id = randomUUID();
    await start(id);
    m.provider.next('/register', { wait: async () => void (await m.channels.disconnectChannel({}, asAdmin(id))) });
    await expect(verify(id)).rejects.toMatchObject({ reason: 'CONFLICT' });
    expect(await statusOf(id)).toMatchObject({ status: 'disconnected' });
  });

  test('a code requires a start, and only admins connect numbers', async () => {
    await expect(verify(randomUUID())).rejects.toMatchObject({ reason: 'CHAT_NOT_STARTED' });
    await expect(m.channels.startChannel(START, asUser(randomUUID()))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  });
});

describe('another number while one is in use', () => {
  const SECOND = { phone: '+50370009999', accessToken: 'EAAGsecond-token' };
  const numberOf = async (id: string) => (await m.channels.getChannelSettings({}, asUser(id))).chatPhoneNumberId ?? '';
  /** The tokens with which the number was deregistered. */
  const deregistrations = (number: string) => m.provider.seen.filter(({ path }) => path === `/${number}/deregister`).map(({ token }) => token);
  const finishNow = async (id: string, ahead = '0') => {
    await m.look('update next_channels set retry_at = now() + $2::interval where clinic_id = $1', [id, ahead]);
    await inTenant(m.service.db, id, (tx) => enqueue(tx, 'finish-bindings', {}));
  };
  const proven = async (id: string) => (await m.look('select proven_number_id from channels where clinic_id = $1', [id]))[0].proven_number_id;
  /** Checks that the current number still sends and is shown in the status. */
  async function expectInUse(id: string, number: string) {
    expect([await numberOf(id), await proven(id)]).toEqual([number, number]);
    const [row] = await m.look('select status from channels where clinic_id = $1', [id]);
    expect(row.status).toBe('active');
    expect(deregistrations(number)).toEqual([]);
  }
  async function clinicWithNumber() {
    const { id } = await m.clinic();
    await m.channels.updateChannelSettings({ botEnabled: false }, asAdmin(id));
    m.provider.forget();
    return { id, first: await numberOf(id) };
  }

  test('replaces it only when it is verified; then the old one is deregistered with its own token, and the bot keeps its setting', async () => {
    const { id, first } = await clinicWithNumber();
    expect(await start(id, SECOND)).toMatchObject({ status: 'pending_otp' });
    expect(await statusOf(id)).toEqual(
      expect.objectContaining({
        status: 'pending_otp',
        number: '+503 7000 0000',
        detail: expect.stringMatching(/is connected.*New number \+50370009999: A code/),
      }),
    );
    await expectInUse(id, first);
    m.provider.next('/verify_code', m.provider.refusal(400, 136025, 'Wrong code'));
    await expect(verify(id)).rejects.toMatchObject({ reason: 'INVALID_OTP' });
    expect((await statusOf(id)).status).toBe('pending_otp');
    await expectInUse(id, first);
    expect(await verify(id)).toMatchObject({ status: 'active' });
    expect(await numberOf(id)).not.toBe(first);
    expect(await proven(id)).toBe(await numberOf(id));
    expect(await m.channels.getChannelSettings({}, asUser(id))).toMatchObject({ chatStatus: 'active', chatAccessToken: 'EAAGseco****', botEnabled: false });
    await waitFor(async () => (await m.look('select 1 from retired_numbers where clinic_id = $1', [id])).length === 0);
    expect(deregistrations(first)).toEqual(['Bearer EAAGtoken-of-the-tests']);
  });

  test.each([
    ['/phone_numbers', 'start'],
    ['/request_code', 'start'],
    ['/verify_code', 'verify'],
    ['/register', 'verify'],
    ['/subscribed_apps', 'verify'],
  ])('a refusal of %s leaves it in use', async (path, step) => {
    const { id, first } = await clinicWithNumber();
    const refused = m.provider.refusal(403, 10, 'no');
    if (step === 'start') m.provider.next(path, refused);
    const started = start(id, SECOND);
    if (step === 'start') await expect(started).rejects.toMatchObject({ reason: 'CHAT_PROVIDER_ERROR' });
    else {
      await started;
      m.provider.next(path, refused);
      await expect(verify(id)).rejects.toMatchObject({ reason: 'CHAT_PROVIDER_ERROR', message: 'no' });
    }
    expect(await statusOf(id)).toMatchObject({ status: 'failed', number: '+503 7000 0000', detail: expect.stringMatching(/permission/) });
    expect(await m.channels.getChannelSettings({}, asUser(id))).toMatchObject({ chatStatus: 'failed', hasFailed: false });
    await expectInUse(id, first);
    // The next attempt succeeds.
    await start(id, SECOND);
    expect(await verify(id)).toMatchObject({ status: 'active' });
  });

  test('transient failures after the code are retried', async () => {
    const { id, first } = await clinicWithNumber();
    await start(id, SECOND);
    m.provider.next('/subscribed_apps', m.provider.refusal(500, 2, 'later'));
    expect(await verify(id)).toMatchObject({ status: 'verifying' });
    await expectInUse(id, first);
    await finishNow(id, '2 hours'); // the clock was set back meanwhile
    await waitFor(async () => (await statusOf(id)).status === 'active');
    expect(await numberOf(id)).not.toBe(first);
  });

  // The provider accepts the code, its response never arrives, and it accepts no code twice.
  test.each([
    ['not answered', 0, 0],
    ['answered with an internal error', 500, 2],
    ['refused as wrong', 400, 136025],
  ])('a code that the provider accepted is not lost if the repeated submission is %s', async (_, status, code) => {
    const { id } = await clinicWithNumber();
    await start(id, SECOND);
    m.provider.next('/verify_code', { hang: true }, status ? m.provider.refusal(status, code) : { hang: true }, m.provider.refusal(400, 136025));
    m.provider.next(`/${(await m.look('select phone_number_id as n from next_channels where clinic_id = $1', [id]))[0].n}`, {
      body: { id: 'n', code_verification_status: 'VERIFIED' },
    });
    if (status !== 400) await expect(verify(id)).rejects.toMatchObject({ reason: 'CHAT_PROVIDER_ERROR' });
    expect(await verify(id)).toMatchObject({ status: 'active' });
  });

  test('while the provider is unavailable the old one is deregistered later, and not at all if it is in use again', async () => {
    const { id, first } = await clinicWithNumber();
    m.provider.next(`/${first}/deregister`, ...Array.from({ length: 4 }, () => m.provider.refusal(500, 2, 'later')));
    await start(id, SECOND);
    await verify(id);
    await waitFor(() => deregistrations(first).length >= 2);
    m.provider.next('/phone_numbers', { body: { id: first } });
    await start(id, { accessToken: 'EAAGtoken-of-the-tests' });
    await verify(id);
    expect(await numberOf(id)).toBe(first);
    expect(await m.look('select 1 from retired_numbers where clinic_id = $1 and phone_number_id = $2', [id, first])).toEqual([]);
  });

  test('an attempt that is not continued is given up after a day', async () => {
    const { id, first } = await clinicWithNumber();
    await start(id, SECOND);
    await m.look("update next_channels set updated_at = now() - interval '25 hours' where clinic_id = $1", [id]);
    await finishNow(id);
    await waitFor(async () => (await statusOf(id)).status === 'active');
    await expectInUse(id, first);
    await expect(verify(id)).rejects.toMatchObject({ reason: 'CHAT_NOT_STARTED' });
  });

  test('a number that is disconnected while the provider is unavailable is deregistered later', async () => {
    const { id, first } = await clinicWithNumber();
    await start(id, SECOND);
    m.provider.next(`/${first}/deregister`, m.provider.refusal(500, 2, 'later'), m.provider.refusal(500, 2, 'later'));
    expect(await m.channels.disconnectChannel({}, asAdmin(id))).toEqual(expect.objectContaining({ status: 'disconnected' }));
    await waitFor(async () => (await m.look('select 1 from retired_numbers where clinic_id = $1', [id])).length === 0);
    expect(deregistrations(first).length).toBeGreaterThanOrEqual(3);
    expect(await statusOf(id)).toMatchObject({ status: 'disconnected', number: '' });
    await expect(verify(id)).rejects.toMatchObject({ reason: 'CHAT_NOT_STARTED' });
  });
});

describe('settings', () => {
  test('a number entered by hand is checked, and a masked token changes nothing', async () => {
    const id = randomUUID();
    const given = { chatPhoneNumberId: `pn-${id}`, chatBusinessAccountId: '77', chatAccessToken: 'EAAGanother', chatVerifyToken: 'v' };
    expect(await m.channels.updateChannelSettings(given, asAdmin(id))).toMatchObject({ chatStatus: 'verifying', chatVerifyToken: 'v' });
    await waitFor(async () => (await statusOf(id)).status === 'active');
    const seen = m.provider.seen.filter(({ token }) => token === 'Bearer EAAGanother');
    expect(seen.map(({ path }) => path.replace(/\?.*/, ''))).toEqual([`/pn-${id}`, '/77/subscribed_apps']);
    const after = await m.channels.updateChannelSettings({ chatAccessToken: 'EAAGanot****', botEnabled: true }, asAdmin(id));
    expect(after).toMatchObject({ chatAccessToken: 'EAAGanot****', chatStatus: 'active', botEnabled: true });
    const [event] = await m.look("select payload from outbox where clinic_id = $1 and subject like '%clinic-channel-updated' order by id desc limit 1", [id]);
    expect(event.payload).toMatchObject({ status: 'active', botEnabled: true });
  });

  test.each([
    ['another token', { chatAccessToken: 'EAAGrenewed' }],
    ['the same settings', { chatBusinessAccountId: START.wabaId }],
  ])('%s after a refusal of the account leave a bot off that was switched off', async (_, given) => {
    const id = randomUUID();
    await start(id);
    await verify(id);
    await m.channels.updateChannelSettings({ botEnabled: false }, asAdmin(id));
    await m.look("update channels set status = 'failed' where clinic_id = $1", [id]);
    await m.channels.updateChannelSettings(given, asAdmin(id));
    await waitFor(async () => (await statusOf(id)).status === 'active');
    expect(await m.channels.getChannelSettings({}, asUser(id))).toMatchObject({ botEnabled: false });
  });
});
