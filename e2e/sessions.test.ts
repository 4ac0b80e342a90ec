// Registration and sessions of a clinic: invite codes, registration, sign-in, and sessions that are renewed, reused or ended.
import { randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { apiAt } from './api.ts';
import { type Clinic, freshEmail, inviteCode, newClinic, PASSWORD, register } from './clinic.ts';

const api = apiAt(publicApi());
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const failure = (status: number, code: string) => ({ status, body: { error: expect.any(String), code } });

let clinic: Clinic;
beforeAll(async () => {
  clinic = await newClinic(api);
});

describe('invite codes', () => {
  test('a code has every field and is listed', async () => {
    const made = await api.post('/api/superadmin/invite-codes', {}, api.operator);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: UUID,
      code: expect.any(String),
      email: null,
      plan: 'basic',
      is_used: false,
      used_at: null,
      used_by_clinic_id: null,
      expires_at: INSTANT,
      source: 'manual',
      notes: null,
      created_at: INSTANT,
      revoked_at: null,
    });
    const days = (Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)) / 86_400_000;
    expect(days).toBeCloseTo(30, 1);
    const { body: list } = await api.get('/api/superadmin/invite-codes', api.operator);
    expect(list).toContainEqual(made.body);
  });

  test('forever_free never expires', async () => {
    expect(await inviteCode(api, { plan: 'forever_free', expiresInDays: 5 })).toMatchObject({ plan: 'forever_free', expires_at: null });
  });

  test('revoked, expired, used, unknown and other persons’ codes have the same response, and the right e-mail can still redeem its code', async () => {
    const refused = failure(400, 'INVALID_INVITE_CODE');
    const revoked = await inviteCode(api);
    expect(await api.patch(`/api/superadmin/invite-codes/${revoked.id}/revoke`, {}, api.operator)).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    });
    expect(await register(api, revoked.code)).toMatchObject(refused);
    expect(await register(api, (await inviteCode(api, { expiresInDays: 0 })).code)).toMatchObject(refused);
    expect(await register(api, 'NO-SUCH-CODE')).toMatchObject(refused);
    const email = freshEmail();
    const meant = await inviteCode(api, { email });
    expect(await register(api, meant.code)).toMatchObject(refused);
    expect(await register(api, meant.code, { email: email.toUpperCase() })).toMatchObject({ status: 201 });
    expect(await register(api, meant.code, { email: freshEmail() })).toMatchObject(refused);
    expect(await api.patch(`/api/superadmin/invite-codes/${meant.id}/revoke`, {}, api.operator)).toMatchObject(failure(409, 'INVITE_CODE_USED'));
    expect(await api.patch(`/api/superadmin/invite-codes/${randomUUID()}/revoke`, {}, api.operator)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  test('a failed registration does not use the code', async () => {
    const { code } = await inviteCode(api);
    expect(await register(api, code, { email: clinic.email })).toMatchObject(failure(409, 'EMAIL_TAKEN'));
    expect(await register(api, code, { password: 'password1' })).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(await register(api, code)).toMatchObject({ status: 201 });
  });
});

describe('registration and sessions', () => {
  test('a registration signs the admin in, with every field and a cookie that no script can read', async () => {
    const { code } = await inviteCode(api, { plan: 'trial', expiresInDays: 9 });
    const registered = await register(api, code, { clinicName: 'Clínica Ñandú', phone: '2222 3333', city: 'Santa Ana' });
    expect(registered.status).toBe(201);
    const { email } = registered;
    const id = registered.body.clinic.id;
    expect(registered.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 28_800,
      user: { id: UUID, email, full_name: 'Ana Morales', app_role: 'admin', clinic_id: id },
      clinic: {
        id: UUID,
        name: 'Clínica Ñandú',
        slug: expect.stringMatching(/^clinica-nandu/),
        clinic_type: 'dental',
        subscription_plan: 'trial',
        subscription_expires_at: INSTANT,
      },
    });
    const [cookie] = registered.headers.getSetCookie();
    expect(cookie).toMatch(/^refresh_token=[^;]+;/);
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/api/auth']) expect(cookie).toContain(part);
    const claims = JSON.parse(Buffer.from(registered.body.access_token.split('.')[1], 'base64url').toString());
    expect(claims).toMatchObject({ sub: registered.body.user.id, clinic_id: id, app_role: 'admin', role: 'authenticated', jti: UUID });
    expect(claims.exp - claims.iat).toBe(28_800);
  });

  test('a sign-in has the response of a registration; a wrong e-mail and a wrong password have the same response', async () => {
    const signedIn = await api.post('/api/auth/login', { email: clinic.email.toUpperCase(), password: PASSWORD });
    expect(signedIn.status).toBe(200);
    expect(signedIn.body).toEqual({ ...clinic.session, access_token: expect.any(String) });
    const wrongPassword = await api.post('/api/auth/login', { email: clinic.email, password: 'not-the-password' });
    const wrongEmail = await api.post('/api/auth/login', { email: freshEmail(), password: PASSWORD });
    expect(wrongPassword).toMatchObject(failure(401, 'INVALID_CREDENTIALS'));
    expect(wrongEmail.body).toEqual(wrongPassword.body);
  });

  test('me returns the user, the clinic and what the subscription allows', async () => {
    const { status, body } = await api.get('/api/auth/me', clinic);
    expect(status).toBe(200);
    expect(body).toMatchObject({ user: clinic.session.user, clinic: clinic.session.clinic });
    expect(body.subscription).toEqual({
      plan: 'clinica',
      expires_at: clinic.session.clinic.subscription_expires_at,
      features: expect.objectContaining({ analytics: true, quick_switching: true }),
      limits: { doctors: null, users: null, storage_bytes: 100_000_000_000 },
    });
  });

  test('a refresh rotates the cookie; the reuse of an old cookie ends the session family, and so does signing out', async () => {
    const mine = await newClinic(api);
    const refresh = (cookie: string) => api.post('/api/auth/refresh', undefined, { headers: { Cookie: cookie } });
    const next = (answer: { headers: Headers }) => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const second = await refresh(mine.cookie);
    expect(second).toMatchObject({ status: 200, body: { user: mine.session.user, clinic: mine.session.clinic, token_type: 'Bearer' } });
    expect(next(second)).not.toBe(mine.cookie);
    expect(await api.get('/api/auth/me', { token: second.body.access_token })).toMatchObject({ status: 200 });
    const third = await refresh(next(second));
    expect(third.status).toBe(200);
    expect((await refresh(mine.cookie)).status).toBe(401); // two parties have it, so the whole family ends
    expect((await refresh(next(third))).status).toBe(401);

    const fresh = next(await api.post('/api/auth/login', { email: mine.email, password: PASSWORD }));
    const out = await api.post('/api/auth/logout', undefined, { headers: { Cookie: fresh } });
    expect(out).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    expect(out.headers.getSetCookie()[0]).toMatch(/^refresh_token=;.*Expires=Thu, 01 Jan 1970/);
    expect((await refresh(fresh)).status).toBe(401);
    expect((await refresh('refresh_token=nobody-has-this')).status).toBe(401);
    expect((await api.post('/api/auth/refresh')).status).toBe(401);
    expect((await api.post('/api/auth/logout')).status).toBe(200);
  });
});
