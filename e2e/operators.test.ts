// Operators see every clinic and every figure with their key, and their changes take effect from the next request on.
import { randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { apiAt, type Body } from './api.ts';
import { addDoctor, book, booking, type Clinic, newClinic, PASSWORD } from './clinic.ts';

const api = apiAt(publicApi());
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const failure = (status: number, code: string) => ({ status, body: { error: expect.any(String), code } });

let clinic: Clinic;
beforeAll(async () => {
  clinic = await newClinic(api);
});

describe('operators', () => {
  test('a clinic in their list has every field', async () => {
    const { status, body } = await api.get('/api/superadmin/clinics', api.operator);
    expect(status).toBe(200);
    expect(body.find((one: Body) => one.id === clinic.id)).toEqual({
      id: clinic.id,
      name: 'Clínica de Prueba',
      slug: clinic.session.clinic.slug,
      city: null,
      phone: null,
      is_active: true,
      subscription_plan: 'clinica',
      subscription_expires_at: INSTANT,
      bot_enabled: false,
      created_at: INSTANT,
      user_count: 1,
    });
  });

  test('a suspension, an expiry and an upgrade take effect from the next request on', async () => {
    const mine = await newClinic(api, { plan: 'basic' });
    const change = (body: Body) => api.patch(`/api/superadmin/clinics/${mine.id}`, body, api.operator);
    const me = () => api.get('/api/auth/me', mine);
    const signIn = () => api.post('/api/auth/login', { email: mine.email, password: PASSWORD });

    expect(await change({ is_active: false })).toMatchObject({ status: 200, body: { id: mine.id, is_active: false } });
    expect(await me()).toMatchObject(failure(403, 'CLINIC_SUSPENDED'));
    expect(await signIn()).toMatchObject(failure(403, 'CLINIC_SUSPENDED'));
    await change({ is_active: true });
    expect((await me()).status).toBe(200);

    expect((await change({ expiresInDays: 0 })).status).toBe(200);
    expect(await me()).toMatchObject(failure(402, 'SUBSCRIPTION_EXPIRED'));
    expect((await signIn()).status).toBe(200);

    const renewed = await change({ plan: 'pro', expiresInDays: 30 });
    expect(Date.parse(renewed.body.subscription_expires_at) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect((await me()).body.subscription).toMatchObject({ plan: 'pro', limits: { doctors: 8, users: 1 } });
    expect(await change({ plan: 'forever_free', expiresInDays: 3 })).toMatchObject({
      body: { subscription_plan: 'forever_free', subscription_expires_at: null },
    });
    expect((await me()).body.subscription).toMatchObject({ plan: 'forever_free', expires_at: null });

    expect(await api.patch(`/api/superadmin/clinics/${randomUUID()}`, { plan: 'pro' }, api.operator)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await change({ plan: 'gold' })).toMatchObject({ status: 400, body: { details: [{ path: 'plan' }] } });
    for (const field of ['plan', 'expiresInDays', 'is_active'])
      expect(await change({ [field]: null })).toMatchObject({ status: 400, body: { details: [{ path: field }] } });
    for (const expiresInDays of [-1, 3651, 1.5]) expect((await change({ expiresInDays })).status).toBe(400);
  });

  test("a wrong key has no access, and a user's token is not a key", async () => {
    for (const headers of [{}, { 'X-Admin-Key': 'wrong-wrong-wrong' }, { 'X-Admin-Key': '' }, { Authorization: `Bearer ${clinic.token}` }]) {
      expect(await api.get('/api/superadmin/stats', { headers })).toMatchObject(failure(401, 'INVALID_ADMIN_KEY'));
    }
  });

  test('the figures have every field and include a booking of today', async () => {
    // A clinic in a time zone in which the day has just begun, whatever the time of the test.
    const hour = new Date().getUTCHours();
    const timezone = hour === 0 ? 'UTC' : hour > 13 ? `Etc/GMT+${Math.min(hour - 1, 12)}` : `Etc/GMT+${hour - 1}`;
    const mine = await newClinic(api, { registration: { timezone } });
    const who = await addDoctor(api, mine);
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(new Date());
    const stats = async () => (await api.get('/api/superadmin/stats', api.operator)).body;
    const before = await stats();
    expect(before).toEqual({
      totalClinics: expect.any(Number),
      activeClinics: expect.any(Number),
      pendingDemos: expect.any(Number),
      apptToday: expect.any(Number),
      revenueThisMonth: expect.any(Number),
      totalOrders: expect.any(Number),
      planDistribution: {
        trial: expect.any(Number),
        basic: expect.any(Number),
        pro: expect.any(Number),
        clinica: expect.any(Number),
        forever_free: expect.any(Number),
      },
      recentSignups: expect.any(Number),
    });
    await book(api, mine, { ...booking(who.id, '23:30', today), outsideHours: true });
    await waitFor(async () => (await stats()).apptToday > before.apptToday);
  });
});
