// The main job, as a clinic lives it: invite code, registration, doctor, slots, booking, list, status, figures. Every
// field of the interface is asked for by name, since an absent value is null and never missing; records may show more.
import { randomUUID } from 'node:crypto';
import { door } from '@clinic/lib/testing/door.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { apiAt, type Body, freshKey } from './api.ts';
import {
  addDoctor,
  addPatient,
  book,
  booking,
  type Clinic,
  everyDay,
  freeSlots,
  freshEmail,
  freshPhone,
  inDays,
  inviteCode,
  newClinic,
  PASSWORD,
  register,
} from './clinic.ts';

const api = apiAt(door());
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const failure = (status: number, code: string) => ({ status, body: { error: expect.any(String), code } });

let clinic: Clinic;
let doctor: Body;
beforeAll(async () => {
  clinic = await newClinic(api);
  doctor = await addDoctor(api, clinic);
});

describe('invite codes', () => {
  test('a code shows every field, and the list has it', async () => {
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

  test('revoked, expired, used, unknown or meant for another: one answer, and the right e-mail still redeems', async () => {
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

  test('a failed registration does not burn the code', async () => {
    const { code } = await inviteCode(api);
    expect(await register(api, code, { email: clinic.email })).toMatchObject(failure(409, 'EMAIL_TAKEN'));
    expect(await register(api, code, { password: 'password1' })).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(await register(api, code)).toMatchObject({ status: 201 });
  });
});

describe('registration and sessions', () => {
  test('a registration signs the admin in, with every field and a cookie no script can read', async () => {
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

  test('signing in answers as registering does; a wrong e-mail and a wrong password answer alike', async () => {
    const signedIn = await api.post('/api/auth/login', { email: clinic.email.toUpperCase(), password: PASSWORD });
    expect(signedIn.status).toBe(200);
    expect(signedIn.body).toEqual({ ...clinic.session, access_token: expect.any(String) });
    const wrongPassword = await api.post('/api/auth/login', { email: clinic.email, password: 'not-the-password' });
    const wrongEmail = await api.post('/api/auth/login', { email: freshEmail(), password: PASSWORD });
    expect(wrongPassword).toMatchObject(failure(401, 'INVALID_CREDENTIALS'));
    expect(wrongEmail.body).toEqual(wrongPassword.body);
  });

  test('me tells the user, the clinic and what the subscription allows', async () => {
    const { status, body } = await api.get('/api/auth/me', clinic);
    expect(status).toBe(200);
    expect(body).toMatchObject({ user: clinic.session.user, clinic: clinic.session.clinic });
    expect(body.subscription).toEqual({
      plan: 'clinica',
      expires_at: clinic.session.clinic.subscription_expires_at,
      features: expect.objectContaining({ analytics: true, quick_switching: true }),
      limits: { doctors: null, users: null },
    });
  });

  test('a refresh rotates the cookie; an old one used again ends the family, and so does signing out', async () => {
    const mine = await newClinic(api);
    const refresh = (cookie: string) => api.post('/api/auth/refresh', undefined, { headers: { Cookie: cookie } });
    const next = (answer: { headers: Headers }) => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const second = await refresh(mine.cookie);
    expect(second).toMatchObject({ status: 200, body: { user: mine.session.user, clinic: mine.session.clinic, token_type: 'Bearer' } });
    expect(next(second)).not.toBe(mine.cookie);
    expect(await api.get('/api/auth/me', { token: second.body.access_token })).toMatchObject({ status: 200 });
    const third = await refresh(next(second));
    expect(third.status).toBe(200);
    expect((await refresh(mine.cookie)).status).toBe(401); // two parties hold it: the whole family ends
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

describe('doctors and slots', () => {
  test('a doctor shows every field, alone and in the list', async () => {
    const made = await addDoctor(api, clinic, { fullName: 'Dr. Único', breaks: [{ dayOfWeek: 1, startTime: '10:00', endTime: '10:30' }] });
    expect(made).toMatchObject({
      id: UUID,
      clinic_id: clinic.id,
      full_name: 'Dr. Único',
      specialty: null,
      bio: null,
      photo_url: null,
      consultation_duration_minutes: 30,
      buffer_time_minutes: 0,
      is_active: true,
      doctor_working_hours: Array.from({ length: 7 }, (_, day) => ({
        id: UUID,
        day_of_week: day,
        start_time: '08:00:00',
        end_time: '12:00:00',
        is_active: true,
      })),
      doctor_breaks: [{ id: UUID, day_of_week: 1, start_time: '10:00:00', end_time: '10:30:00' }],
      created_at: INSTANT,
      updated_at: INSTANT,
    });
    expect((await api.get(`/api/doctors/${made.id}`, clinic)).body).toEqual(made);
    const { body } = await api.get('/api/doctors?limit=500', clinic);
    expect(body).toMatchObject({ page: 1, limit: 500 });
    expect(body.doctors).toContainEqual(made);
    expect((await api.get('/api/doctors', clinic)).body).toMatchObject({ page: 1, limit: 50 });
  });

  test('an update replaces hours wholesale; a deactivated doctor leaves the list and keeps the visits', async () => {
    const made = await addDoctor(api, clinic);
    const visit = await book(api, clinic, booking(made.id, '09:00'));
    const changed = await api.patch(`/api/doctors/${made.id}`, { specialty: 'Ortodoncia', workingHours: everyDay('14:00', '15:00') }, clinic);
    expect(changed).toMatchObject({ status: 200, body: { specialty: 'Ortodoncia', full_name: made.full_name } });
    expect(await freeSlots(api, clinic, made.id)).toEqual(['14:00', '14:30']);
    expect(await api.put(`/api/doctors/${made.id}`, { fullName: 'Dra. Nueva', is_active: true }, clinic)).toMatchObject({ status: 200 });
    expect(await api.delete(`/api/doctors/${made.id}`, clinic)).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    expect((await api.get(`/api/doctors/${made.id}`, clinic)).body.is_active).toBe(false);
    expect((await api.get('/api/doctors?limit=500', clinic)).body.doctors.map((one: Body) => one.id)).not.toContain(made.id);
    expect((await api.get(`/api/appointments/${visit.id}`, clinic)).body.status).toBe('confirmed');
    expect(await api.post('/api/appointments', booking(made.id, '14:00'), clinic)).toMatchObject({ status: 404, body: { error: 'Doctor not found' } });
  });

  test('overlapping hours, hours that end before they start and unknown doctors are refused', async () => {
    const overlapping = [...everyDay('08:00', '12:00'), { dayOfWeek: 1, startTime: '11:59', endTime: '13:00' }];
    for (const workingHours of [overlapping, everyDay('12:00', '08:00'), everyDay('08:00', '08:00')]) {
      expect(await api.post('/api/doctors', { fullName: 'X', workingHours }, clinic)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    }
    const missing = { status: 404, body: { error: 'Doctor not found', code: 'NOT_FOUND' } };
    expect(await api.get(`/api/doctors/${randomUUID()}/slots?date=${inDays(7)}`, clinic)).toMatchObject(missing);
    expect(await api.get('/api/doctors/not-an-id', clinic)).toMatchObject(missing);
    expect(await api.get(`/api/doctors/${doctor.id}/slots`, clinic)).toMatchObject({ status: 400, body: { details: [{ path: 'date' }] } });
  });

  test('the plan limits the doctors; leaving makes room', async () => {
    const basic = await newClinic(api, { plan: 'basic' });
    const [first] = [await addDoctor(api, basic), await addDoctor(api, basic)];
    expect(await api.post('/api/doctors', { fullName: 'Third' }, basic)).toMatchObject(failure(403, 'DOCTOR_LIMIT_REACHED'));
    await api.delete(`/api/doctors/${first.id}`, basic);
    await addDoctor(api, basic);
    expect(await api.patch(`/api/doctors/${first.id}`, { is_active: true }, basic)).toMatchObject(failure(403, 'DOCTOR_LIMIT_REACHED'));
  });
});

describe('patients', () => {
  test('a patient shows every field; the national id is whole alone and masked in lists', async () => {
    const phone = freshPhone();
    const made = await addPatient(api, clinic, { fullName: 'Íñigo Zelaya', phone, dui: '000162975' });
    expect(made).toMatchObject({
      id: UUID,
      clinic_id: clinic.id,
      full_name: 'Íñigo Zelaya',
      phone,
      dui: '00016297-5',
      dui_verified: true,
      email: null,
      birth_date: null,
      gender: null,
      address: null,
      notes: null,
      no_show_count: 0,
      recall_opted_out: false,
      guardian_id: null,
      archived_at: null,
      created_at: INSTANT,
      updated_at: INSTANT,
    });
    expect((await api.get(`/api/patients/${made.id}`, clinic)).body).toEqual(made);
    for (const search of ['inigo', 'ZELAYA', phone.slice(-8), '00016297-5']) {
      const { body } = await api.get(`/api/patients?search=${encodeURIComponent(search)}`, clinic);
      expect(body).toMatchObject({ patients: [{ id: made.id, dui: '******97-5' }], total: 1, page: 1, limit: 50 });
    }
    expect(await api.patch(`/api/patients/${made.id}`, { email: 'i@z.example', notes: 'alérgico' }, clinic)).toMatchObject({
      status: 200,
      body: { email: 'i@z.example', notes: 'alérgico', full_name: 'Íñigo Zelaya' },
    });
  });

  test('one phone is one patient, however it is spelled', async () => {
    const made = await addPatient(api, clinic);
    const local = made.phone.slice(4);
    const taken = { fullName: 'Otro', phone: `${local.slice(0, 4)}-${local.slice(4)}` };
    expect(await api.post('/api/patients', taken, clinic)).toMatchObject(failure(409, 'PHONE_TAKEN'));
    expect(await api.post('/api/patients', { fullName: 'Otro', phone: 'no phone' }, clinic)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(await api.get(`/api/patients/${randomUUID()}`, clinic)).toMatchObject({ status: 404, body: { error: 'Patient not found' } });
  });
});

describe('appointments', () => {
  test('a booking shows every field, alone, in the answer and in the list', async () => {
    const date = inDays(9);
    const wanted = { ...booking(doctor.id, '08:30', date), patientDui: '00016297-5', notes: 'primera visita' };
    const made = await book(api, clinic, wanted);
    expect(made).toMatchObject({
      id: UUID,
      clinic_id: clinic.id,
      doctor_id: doctor.id,
      patient_id: UUID,
      appointment_date: date,
      start_time: '08:30:00',
      end_time: '09:00:00',
      status: 'confirmed',
      source: 'manual',
      notes: 'primera visita',
      idempotency_key: expect.stringMatching(/^MANUAL_/),
      cancellation_reason: null,
      cancelled_at: null,
      completed_at: null,
      created_at: INSTANT,
      updated_at: INSTANT,
      patients: { id: made.patient_id, full_name: wanted.patientName, phone: wanted.patientPhone },
      doctors: { id: doctor.id, full_name: doctor.full_name, specialty: null },
    });
    expect((await api.get(`/api/appointments/${made.id}`, clinic)).body).toEqual(made);
    const { body } = await api.get(`/api/appointments?date=${date}`, clinic);
    expect(body).toEqual({ appointments: [made], total: 1, page: 1, limit: 50 });
    expect((await api.get(`/api/patients/${made.patient_id}`, clinic)).body.dui).toBe('00016297-5');
  });

  test('every filter of the list, and pages', async () => {
    const mine = await newClinic(api);
    const [one, two] = [await addDoctor(api, mine), await addDoctor(api, mine)];
    const made: string[] = [];
    for (const [who, time, date] of [
      [one, '08:00', inDays(7)],
      [one, '08:30', inDays(7)],
      [two, '08:00', inDays(8)],
      [two, '08:30', inDays(9)],
    ]) {
      made.push((await book(api, mine, booking(who.id, time, date))).id);
    }
    await api.patch(`/api/appointments/${made[1]}/status`, { status: 'completed' }, mine);
    const found = async (query: string) => (await api.get(`/api/appointments?${query}`, mine)).body;
    const ids = async (query: string) => (await found(query)).appointments.map((row: Body) => row.id);
    expect(await ids('')).toEqual(made);
    expect(await ids(`date=${inDays(7)}`)).toEqual(made.slice(0, 2));
    expect(await ids(`start=${inDays(8)}`)).toEqual(made.slice(2));
    expect(await ids(`end=${inDays(8)}`)).toEqual(made.slice(0, 3));
    expect(await ids(`start=${inDays(8)}&end=${inDays(8)}`)).toEqual(made.slice(2, 3));
    expect(await ids('status=completed')).toEqual(made.slice(1, 2));
    expect(await ids(`doctor_id=${two.id}`)).toEqual(made.slice(2));
    expect(await found('page=2&limit=3')).toMatchObject({ appointments: [{ id: made[3] }], total: 4, page: 2, limit: 3 });
    expect(await found('page=9')).toMatchObject({ appointments: [], total: 4, page: 9 });
    for (const bad of ['date=2026-02-30', 'status=gone', 'doctor_id=7', 'page=0', 'limit=501', 'limit=x', 'start=tomorrow']) {
      expect(await api.get(`/api/appointments?${bad}`, mine)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_ERROR', details: [{ path: bad.split('=')[0] }] },
      });
    }
  });

  test('a start that is no slot, a slot that is taken, a doctor who is none', async () => {
    await book(api, clinic, booking(doctor.id, '09:30', inDays(10)));
    const post = (body: Body) => api.post('/api/appointments', body, clinic);
    expect(await post(booking(doctor.id, '09:30', inDays(10)))).toMatchObject({ status: 409, body: { error: 'Slot no longer available', code: 'SLOT_TAKEN' } });
    for (const [time, date] of [
      ['09:40', inDays(10)],
      ['12:00', inDays(10)],
      ['09:00', inDays(-3)],
    ] as const) {
      expect(await post(booking(doctor.id, time, date))).toMatchObject({ status: 409, body: { error: 'Slot no longer available', code: 'SLOT_UNAVAILABLE' } });
    }
    expect(await post(booking(randomUUID(), '09:00'))).toMatchObject({ status: 404, body: { error: 'Doctor not found' } });
    expect(await post({ ...booking(doctor.id, '20:05', inDays(10)), outsideHours: true })).toMatchObject({ status: 201, body: { start_time: '20:05:00' } });
  });

  test('each status leaves its mark; the same again leaves none', async () => {
    const visit = await book(api, clinic, booking(doctor.id, '10:00', inDays(11)));
    const set = (status: string, more: Body = {}) => api.patch(`/api/appointments/${visit.id}/status`, { status, ...more }, clinic);
    const patient = async () => (await api.get(`/api/patients/${visit.patient_id}`, clinic)).body;

    const missed = await set('no_show');
    expect(missed).toMatchObject({ status: 200, body: { status: 'no_show', cancelled_at: null, completed_at: null, patients: { id: visit.patient_id } } });
    expect((await set('no_show')).body).toEqual(missed.body);
    expect((await patient()).no_show_count).toBe(1);

    expect((await set('completed')).body).toMatchObject({ status: 'completed', completed_at: INSTANT });
    expect((await patient()).no_show_count).toBe(0);

    expect((await set('cancelled', { cancellation_reason: 'viaje' })).body).toMatchObject({
      status: 'cancelled',
      cancelled_at: INSTANT,
      cancellation_reason: 'viaje',
    });
    expect(await freeSlots(api, clinic, doctor.id, inDays(11))).toContain('10:00');
    expect((await set('confirmed')).body).toMatchObject({ status: 'confirmed', cancelled_at: null, cancellation_reason: null });

    expect(await set('pending')).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', details: [{ path: 'status' }] } });
    const missing = { status: 404, body: { error: 'Appointment not found', code: 'NOT_FOUND' } };
    expect(await api.patch(`/api/appointments/${randomUUID()}/status`, { status: 'completed' }, clinic)).toMatchObject(missing);
    expect(await api.get(`/api/appointments/${randomUUID()}`, clinic)).toMatchObject(missing);
  });

  test('an Idempotency-Key gives the first answer again, and refuses another body', async () => {
    const key = `desk-${randomUUID()}`;
    const body = booking(doctor.id, '10:30', inDays(12));
    const send = (what: Body) => api.post('/api/appointments', what, { ...clinic, headers: freshKey(key) });
    const first = await send(body);
    expect(first).toMatchObject({ status: 201, body: { idempotency_key: `MANUAL_${key}` } });
    expect(await send(body)).toMatchObject({ status: 201, body: first.body });
    expect(await send({ ...body, notes: 'other' })).toMatchObject(failure(409, 'IDEMPOTENCY_KEY_REUSED'));
  });

  test('the desk books nothing through chat', async () => {
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const { status, body } = await api.get(`/api/appointments/notifications?since=${since}`, clinic);
    expect(status).toBe(200);
    expect(body).toEqual({ count: 0, since });
    expect((await api.get('/api/appointments/notifications', clinic)).body).toEqual({ count: 0, since: INSTANT });
  });
});

describe('operators', () => {
  test('a clinic in their list shows every field', async () => {
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

  test('suspending, expiring and upgrading hold from the very next request', async () => {
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
    for (const expiresInDays of [-1, 3651, 1.5]) expect((await change({ expiresInDays })).status).toBe(400);
  });

  test('a wrong key opens nothing, and a user token is no key', async () => {
    for (const headers of [{}, { 'X-Admin-Key': 'wrong-wrong-wrong' }, { 'X-Admin-Key': '' }, { Authorization: `Bearer ${clinic.token}` }]) {
      expect(await api.get('/api/superadmin/stats', { headers })).toMatchObject(failure(401, 'INVALID_ADMIN_KEY'));
    }
  });

  test('the figures show every field and follow a booking of today', async () => {
    // A clinic where it is early in the day now, whatever the hour of this test.
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
