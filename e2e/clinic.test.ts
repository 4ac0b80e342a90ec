// A clinic's settings: read by all users, changed by admins, combined with the chat settings and limited by the plan.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, type Clinic, freshEmail, newClinic, PASSWORD } from './clinic.ts';
import { asOwner } from './product-internals.ts';

const api = apiAt(publicApi());

let clinic: Clinic;
let colleague: { token: string };
beforeAll(async () => {
  clinic = await newClinic(api);
  const { email } = (await expectStatus(201, api.post('/api/users', { fullName: 'Carla', email: freshEmail(), password: PASSWORD }, clinic))).body;
  colleague = { token: (await expectStatus(200, api.post('/api/auth/login', { email, password: PASSWORD }))).body.access_token };
});

const settings = async (extra = clinic as { token: string }): Promise<Body> => (await expectStatus(200, api.get('/api/clinics/settings', extra))).body;

describe('settings', () => {
  test('show every field of the interface to every user', async () => {
    expect(await settings(colleague)).toEqual({
      id: clinic.id,
      name: 'Clínica de Prueba',
      slug: expect.stringMatching(/^clinica-de-prueba/),
      phone: null,
      address: null,
      city: null,
      country: 'SV',
      timezone: 'America/El_Salvador',
      currency: 'USD',
      logo_url: null,
      chat_phone_number_id: null,
      chat_business_account_id: null,
      chat_access_token: null,
      chat_verify_token: null,
      chat_status: 'disconnected',
      bot_enabled: false,
      require_mfa_for_admins: false,
      cancellation_notice_hours: 0,
      cancellation_text: null,
      booking_no_show_limit: 0,
      booking_origins: [],
      is_active: true,
      subscription_plan: 'clinica',
      subscription_expires_at: expect.stringMatching(/Z$/),
      clinic_type: 'dental',
    });
  });

  test('are changed by admins only, and omitted fields are not changed', async () => {
    expect(await api.patch('/api/clinics/settings', { name: 'X' }, colleague)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    const { body } = await expectStatus(200, api.patch('/api/clinics/settings', { city: 'Apopa', phone: '+50322220000' }, clinic));
    expect(body).toMatchObject({ name: 'Clínica de Prueba', city: 'Apopa', phone: '+50322220000' });
    await expectStatus(200, api.patch('/api/clinics/settings', { phone: null }, clinic));
    expect(await settings()).toMatchObject({ city: 'Apopa', phone: null });
    expect(await api.patch('/api/clinics/settings', { timezone: 'Mars/Olympus' }, clinic)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: [{ path: 'timezone' }] },
    });
  });

  test('the access token is masked, a masked one changes nothing, and it is never returned', async () => {
    const secret = `EAAGtest${Math.random().toString(36).slice(2)}secret`;
    const number = String(Math.floor(Math.random() * 1e15));
    const config = { phoneNumberId: number, businessAccountId: '222', accessToken: secret, verifyToken: 'my-word' };
    expect((await expectStatus(200, api.put('/api/clinics/chat-config', config, clinic))).body).toEqual({ message: expect.any(String) });
    const masked = `${secret.slice(0, 8)}****`;
    expect(await settings()).toMatchObject({ chat_phone_number_id: number, chat_business_account_id: '222', chat_access_token: masked });
    const again = await expectStatus(200, api.patch('/api/clinics/settings', { chat_access_token: masked, chat_business_account_id: '333' }, clinic));
    expect(again.body).toMatchObject({ chat_access_token: masked, chat_business_account_id: '333' });
    expect((await api.get('/api/clinics/me', clinic)).text).not.toContain(secret.slice(0, 8));
    const tables = await asOwner(
      publicApi(),
      `select table_schema || '.' || table_name as name from information_schema.columns where column_name = 'clinic_id' and table_schema in ('identity', 'messaging')`,
    );
    for (const { name } of tables)
      expect(JSON.stringify(await asOwner(publicApi(), `select t::text from ${name} t where clinic_id = $1`, [clinic.id]))).not.toContain(secret);
  });

  test("the bot's setting appears in the operators' list", async () => {
    await expectStatus(200, api.patch('/api/clinics/settings', { bot_enabled: true }, clinic));
    await waitFor(async () => {
      const { body } = await expectStatus(200, api.get('/api/superadmin/clinics', api.operator));
      return body.find((one: Body) => one.id === clinic.id)?.bot_enabled === true;
    });
  });
});

test('my clinic: unmasked, without any token, for every user', async () => {
  const { body } = await expectStatus(200, api.get('/api/clinics/me', colleague));
  expect(Object.keys(body).sort()).toEqual(
    [
      'id',
      'name',
      'slug',
      'phone',
      'address',
      'city',
      'country',
      'timezone',
      'currency',
      'logo_url',
      'is_active',
      'subscription_plan',
      'chat_phone_number_id',
      'chat_business_account_id',
    ].sort(),
  );
});

test('the profile is changed by admins', async () => {
  const { body } = await expectStatus(200, api.put('/api/clinics/profile', { address: 'Calle Arce 12', currency: 'GTQ' }, clinic));
  expect(body).toMatchObject({ id: clinic.id, address: 'Calle Arce 12', currency: 'GTQ', name: 'Clínica de Prueba' });
  expect((await api.put('/api/clinics/profile', {}, colleague)).status).toBe(403);
});

test('the logo is re-encoded and served without a token', async () => {
  const jpeg = await sharp({ create: { width: 900, height: 300, channels: 3, background: 'navy' } })
    .jpeg()
    .toBuffer();
  const { body } = await expectStatus(200, api.put('/api/clinics/logo', jpeg, { ...clinic, headers: { 'Content-Type': 'image/jpeg' } }));
  const logo = await fetch(body.logo_url);
  expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect((await settings()).logo_url).toBe(body.logo_url);
  await expectStatus(200, api.delete('/api/clinics/logo', clinic));
  expect((await fetch(body.logo_url)).status).toBe(404);
});

describe('features', () => {
  test('one that is disabled is unavailable from the next request on, and can be enabled again', async () => {
    const own = await newClinic(api, { plan: 'clinica' });
    await expectStatus(200, api.put('/api/users/me/pin', { pin: '246813', password: PASSWORD }, own));
    const { body } = await expectStatus(200, api.patch('/api/clinics/features', { features: { quick_switching: false } }, own));
    expect([body.features.quick_switching, body.included.quick_switching]).toEqual([false, true]);
    expect(await api.delete('/api/users/me/pin', own)).toMatchObject({ status: 403, body: { code: 'FEATURE_DISABLED' } });
    await expectStatus(200, api.patch('/api/clinics/features', { features: { quick_switching: true } }, own));
    await expectStatus(200, api.delete('/api/users/me/pin', own));
  });

  test('dental is available to dental clinics only', async () => {
    const medical = await newClinic(api, { plan: 'clinica', registration: { clinicType: 'medical' } });
    const { body } = await expectStatus(200, api.get('/api/clinics/features', medical));
    expect([body.features.dental, body.included.dental]).toEqual([false, false]);
    expect(await api.patch('/api/clinics/features', { features: { dental: true } }, medical)).toMatchObject({
      status: 403,
      body: { code: 'DENTAL_CLINIC_REQUIRED' },
    });
  });

  test('a clinic cannot enable features that its plan does not include', async () => {
    const small = await newClinic(api, { plan: 'basic' });
    expect(await api.patch('/api/clinics/features', { features: { dental: true } }, small)).toMatchObject({
      status: 403,
      body: { code: 'PLAN_UPGRADE_REQUIRED' },
    });
    expect((await api.patch('/api/clinics/features', { features: { teleport: true } }, small)).status).toBe(400);
  });
});

test.each([
  ['basic', 2, 1, 1, false],
  ['pro', 8, 1, 10, true],
  ['trial', 8, 1, 10, true],
  ['clinica', null, null, 100, true],
  ['forever_free', null, null, 100, true],
])('entitlements of %s', async (plan, doctors, users, gigabytes, analytics) => {
  const own = await newClinic(api, { plan });
  await addDoctor(api, own);
  const { body } = await expectStatus(200, api.get('/api/entitlements', own));
  expect(body).toMatchObject({
    plan,
    limits: { doctors, users, storage_bytes: gigabytes * 1e9 },
    usage: { doctors: 1, users: 0, storage_bytes: 0 },
    features: { analytics, chat_bot: true },
  });
  if (plan === 'forever_free') expect([body.days_left, body.expires_at]).toEqual([null, null]);
  else expect(body.days_left).toBe(30);
});
