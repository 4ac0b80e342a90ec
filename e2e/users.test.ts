// The users of a clinic: created, changed, switched, deactivated and reactivated.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { apiAt, type Body, expectStatus } from './api.ts';
import { type Clinic, codeOf, cookieOf, freshEmail, newClinic, PASSWORD, setUpMfa } from './clinic.ts';
import { mailTo } from './mails.ts';

const api = apiAt(publicApi());
const UUID = expect.stringMatching(/^[0-9a-f]{8}-/);
const INSTANT = expect.stringMatching(/^\d{4}-.*Z$/);

const person = (changed: Body = {}) => ({ fullName: 'Carla Menjívar', email: freshEmail(), password: PASSWORD, ...changed });
const add = async (clinic: Clinic, changed: Body = {}) => (await expectStatus(201, api.post('/api/users', person(changed), clinic))).body;
const signIn = async (email: string, password = PASSWORD) => (await expectStatus(200, api.post('/api/auth/login', { email, password }))).body;

let clinic: Clinic;
beforeAll(async () => {
  clinic = await newClinic(api);
});

test('a new user has every field and is listed', async () => {
  const body = person({ phone: '+50370001111', password: '🐘'.repeat(70) }); // 70 characters of two UTF-16 code units
  const { body: made } = await expectStatus(201, api.post('/api/users', body, clinic));
  expect(made).toEqual({
    id: UUID,
    clinic_id: clinic.id,
    email: body.email,
    full_name: 'Carla Menjívar',
    phone: '+50370001111',
    app_role: 'receptionist',
    is_active: true,
    photo_url: null,
    license_number: null,
    has_pin: false,
    has_mfa: false,
    created_at: INSTANT,
    updated_at: INSTANT,
  });
  const { body: list } = await expectStatus(200, api.get('/api/users?limit=500', clinic));
  expect(list).toMatchObject({ page: 1, limit: 500, total: list.users.length });
  expect(list.users).toContainEqual(made);
  expect(await api.post('/api/users', body, clinic)).toMatchObject({ status: 409, body: { code: 'EMAIL_TAKEN' } });
});

describe('the limit of users', () => {
  test('of 10 concurrent users on pro, one is created and the others are refused', async () => {
    const small = await newClinic(api, { plan: 'pro' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.post('/api/users', person(), small)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(403)]);
    expect(new Set(answers.filter(({ status }) => status === 403).map(({ body }) => body.code))).toEqual(new Set(['USER_LIMIT_REACHED']));
  });

  test('a better plan allows the next request', async () => {
    const small = await newClinic(api, { plan: 'basic' });
    await add(small);
    await expectStatus(403, api.post('/api/users', person(), small));
    await expectStatus(200, api.patch(`/api/superadmin/clinics/${small.id}`, { plan: 'clinica' }, api.operator));
    await add(small);
  });
});

describe('roles', () => {
  test('take effect from the next request on, with the same token', async () => {
    const made = await add(clinic);
    const { access_token: token } = await signIn(made.email);
    expect(await api.patch(`/api/users/${made.id}/role`, { appRole: 'admin' }, { token })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    await expectStatus(200, api.patch(`/api/users/${made.id}/role`, { appRole: 'admin' }, clinic));
    await expectStatus(200, api.patch(`/api/users/${made.id}/role`, { appRole: 'receptionist' }, { token }));
    expect(await api.post('/api/users', person({ appRole: 'admin' }), { token })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  test('the last admin cannot be removed', async () => {
    const alone = await newClinic(api);
    const me = `/api/users/${alone.session.user.id}`;
    expect(await api.patch(me, { isActive: false }, alone)).toMatchObject({ status: 409, body: { code: 'LAST_ADMIN' } });
    expect(await api.patch(`${me}/role`, { appRole: 'doctor' }, alone)).toMatchObject({ status: 409, body: { code: 'LAST_ADMIN' } });
  });
});

test('a deactivated user has no access from the next request on, and the session is not restored', async () => {
  const made = await add(clinic);
  const login = await expectStatus(200, api.post('/api/auth/login', { email: made.email, password: PASSWORD }));
  const token = login.body.access_token;
  await expectStatus(200, api.get('/api/auth/me', { token }));
  await expectStatus(200, api.patch(`/api/users/${made.id}`, { isActive: false }, clinic));
  expect(await api.get('/api/auth/me', { token })).toMatchObject({ status: 403, body: { code: 'USER_INACTIVE' } });
  await expectStatus(200, api.patch(`/api/users/${made.id}`, { isActive: true }, clinic));
  expect(await api.get('/api/auth/me', { token })).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
  expect((await api.post('/api/auth/refresh', undefined, { headers: { Cookie: cookieOf(login) } })).status).toBe(401);
  await signIn(made.email);
});

test('a photo is re-encoded and served without a token', async () => {
  const png = await sharp({ create: { width: 800, height: 400, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  const image = (type: string) => ({ ...clinic, headers: { 'Content-Type': type } });
  const { body } = await expectStatus(200, api.put('/api/users/me/photo', png, image('image/png')));
  const photo = await fetch(body.photo_url);
  expect([photo.status, photo.headers.get('content-type')]).toEqual([200, 'image/webp']);
  expect(await sharp(await photo.arrayBuffer()).metadata()).toMatchObject({ width: 512, height: 256 });
  expect((await fetch(body.photo_url, { headers: { 'If-None-Match': photo.headers.get('etag') ?? '' } })).status).toBe(304);
  expect(await api.put('/api/users/me/photo', '<svg/>', image('image/svg+xml'))).toMatchObject({ status: 415 });
  expect(await api.put('/api/users/me/photo', '<svg/>', image('image/png'))).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  expect(await api.put('/api/users/me/photo', new Uint8Array(2 * 1024 * 1024 + 1), image('image/png'))).toMatchObject({ status: 413 });
  expect((await expectStatus(200, api.delete('/api/users/me/photo', clinic))).body.photo_url).toBeNull();
  expect((await fetch(body.photo_url)).status).toBe(404);
});

describe('quick switching', () => {
  test('by PIN, on clinica', async () => {
    const made = await add(clinic, { appRole: 'doctor' });
    const { access_token: token } = await signIn(made.email);
    await expectStatus(200, api.put('/api/users/me/pin', { pin: '2468', password: PASSWORD }, { token }));
    const switched = await expectStatus(200, api.post('/api/auth/switch', { userId: made.id, pin: '2468' }, clinic));
    expect(switched.body).toMatchObject({ token_type: 'Bearer', user: { id: made.id, app_role: 'doctor' }, clinic: { id: clinic.id } });
    expect(cookieOf(switched)).toMatch(/^refresh_token=/);
    for (let n = 0; n < 5; n++)
      expect(await api.post('/api/auth/switch', { userId: made.id, pin: '0000' }, clinic)).toMatchObject({ status: 401, body: { code: 'INVALID_PIN' } });
    const locked = await api.post('/api/auth/switch', { userId: made.id, pin: '2468' }, clinic);
    expect(locked).toMatchObject({ status: 403, body: { code: 'PIN_LOCKED' } });
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(50);
  });

  test('is not part of the plan pro', async () => {
    const small = await newClinic(api, { plan: 'pro' });
    const refused = { status: 403, body: { code: 'PLAN_UPGRADE_REQUIRED' } };
    expect(await api.put('/api/users/me/pin', { pin: '246813', password: PASSWORD }, small)).toMatchObject(refused);
    expect(await api.post('/api/auth/switch', { userId: small.session.user.id, pin: '2468' }, small)).toMatchObject(refused);
  });
});

describe('a second factor', () => {
  test('is set up, required at sign-in, and removed', async () => {
    const made = await add(clinic);
    const { access_token: token } = await signIn(made.email);
    const { secret, recoveryCodes } = await setUpMfa(api, { token });
    const password = { email: made.email, password: PASSWORD };
    const asked = await api.post('/api/auth/login', password);
    expect(asked).toMatchObject({ status: 401, body: { code: 'MFA_REQUIRED', details: [{ path: 'mfa_token', message: expect.any(String) }] } });
    const mfaToken = asked.body.details[0].message;
    const second = await expectStatus(200, api.post('/api/auth/mfa', { mfaToken, code: codeOf(secret, 1) }));
    expect(second.body).toMatchObject({ token_type: 'Bearer', expires_in: 28800, user: { id: made.id } });
    expect(cookieOf(second)).toMatch(/^refresh_token=/);
    expect(await api.post('/api/auth/mfa', { mfaToken, code: recoveryCodes[0] })).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    const { body: again } = await api.post('/api/auth/login', password);
    const recovery = { mfaToken: again.details[0].message, code: recoveryCodes[0] };
    await expectStatus(200, api.post('/api/auth/mfa', recovery));
    expect(await api.post('/api/auth/mfa', recovery)).toMatchObject({ status: 400, body: { code: 'INVALID_OTP' } });
    await expectStatus(200, api.send('DELETE', '/api/users/me/mfa', { password: PASSWORD }, { token }));
    await expectStatus(200, api.post('/api/auth/login', password));
  });

  test('that the clinic requires must be set up before anything else', async () => {
    const own = await newClinic(api);
    await expectStatus(200, api.patch('/api/clinics/settings', { require_mfa_for_admins: true }, own));
    expect(await api.get('/api/patients', own)).toMatchObject({ status: 403, body: { code: 'MFA_SETUP_REQUIRED' } });
    await expectStatus(200, api.get('/api/auth/me', own));
    await setUpMfa(api, own);
    await expectStatus(200, api.get('/api/patients', own));
  });
});

describe('sessions', () => {
  test('are listed and ended; an ended one has no access from then on', async () => {
    const made = await add(clinic);
    const [one, two] = [await signIn(made.email), await signIn(made.email)];
    const token = two.access_token;
    const { sessions } = (await expectStatus(200, api.get('/api/auth/sessions', { token }))).body;
    expect(sessions).toHaveLength(2);
    expect(sessions[0]).toEqual({
      id: UUID,
      created_at: INSTANT,
      last_used_at: INSTANT,
      expires_at: INSTANT,
      ip: expect.any(String),
      is_current: true,
      device: 'tests',
    });
    const other = sessions[1].id;
    expect((await expectStatus(200, api.get(`/api/auth/sessions/${other}`, { token }))).body).toEqual(sessions[1]);
    expect(await api.delete(`/api/auth/sessions/${other}`, clinic)).toMatchObject({ status: 404, body: { error: 'Session not found' } });
    await expectStatus(200, api.delete(`/api/auth/sessions/${other}`, { token }));
    expect(await api.get('/api/auth/me', { token: one.access_token })).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    await signIn(made.email);
    await expectStatus(200, api.delete('/api/auth/sessions', { token }));
    expect((await expectStatus(200, api.get('/api/auth/sessions', { token }))).body.sessions).toHaveLength(1);
  });

  test('signing out ends the access token too', async () => {
    const made = await add(clinic);
    const login = await expectStatus(200, api.post('/api/auth/login', { email: made.email, password: PASSWORD }));
    await expectStatus(200, api.post('/api/auth/logout', undefined, { headers: { Cookie: cookieOf(login) } }));
    expect((await api.get('/api/auth/me', { token: login.body.access_token })).status).toBe(401);
  });
});

describe('a lost password', () => {
  test('the response is the same for every address', async () => {
    const made = await add(clinic);
    const known = await api.post('/api/auth/forgot-password', { email: made.email.toUpperCase() });
    const unknown = await api.post('/api/auth/forgot-password', { email: freshEmail() });
    expect([known.status, known.text]).toEqual([200, unknown.text]);
    expect(await api.post('/api/auth/reset-password', { token: 'nobody-has-this', password: 'una clave nueva' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_RESET_TOKEN' },
    });
  });

  test('a mail contains a link to a page, where its token sets a new password once', async () => {
    const made = await add(clinic);
    const { access_token: token } = await signIn(made.email);
    await expectStatus(200, api.post('/api/auth/forgot-password', { email: made.email }));
    const [, origin = '', secret = ''] = /(https?:\/\/[^\s/]+)\/reset-password#token=([\w-]{43})/.exec(await mailTo(made.email)) ?? [];
    expect(origin).toBe(api.baseUrl);
    const page = await fetch(`${origin}/reset-password`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'sha256-[^']{44}'.*connect-src 'self'/);
    await expectStatus(200, api.post('/api/auth/reset-password', { token: secret, password: 'una clave nueva' }));
    expect((await api.get('/api/auth/me', { token })).status).toBe(401);
    expect((await api.post('/api/auth/login', { email: made.email, password: PASSWORD })).status).toBe(401);
    await signIn(made.email, 'una clave nueva');
    expect((await api.post('/api/auth/reset-password', { token: secret, password: 'otra clave más' })).status).toBe(400);
  });
});
