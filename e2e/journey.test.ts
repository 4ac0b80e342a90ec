// The main journey of a registered clinic: doctor, slots, patient, booking, list, status. Every field of the interface is checked by name, because an
// absent value is null and never missing. Records may have more fields.
import { randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { apiAt, type Body, freshKey } from './api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, everyDay, freeSlots, freshPhone, inDays, newClinic } from './clinic.ts';

const api = apiAt(publicApi());
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const failure = (status: number, code: string) => ({ status, body: { error: expect.any(String), code } });

let clinic: Clinic;
let doctor: Body;
beforeAll(async () => {
  clinic = await newClinic(api);
  doctor = await addDoctor(api, clinic);
});

describe('doctors and slots', () => {
  test('a doctor has every field, alone and in the list', async () => {
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

  test('an update replaces all hours; a deactivated doctor is no longer listed, and the appointments remain', async () => {
    const made = await addDoctor(api, clinic);
    const appointment = await book(api, clinic, booking(made.id, '09:00'));
    const changed = await api.patch(`/api/doctors/${made.id}`, { specialty: 'Ortodoncia', workingHours: everyDay('14:00', '15:00') }, clinic);
    expect(changed).toMatchObject({ status: 200, body: { specialty: 'Ortodoncia', full_name: made.full_name } });
    expect(await freeSlots(api, clinic, made.id)).toEqual(['14:00', '14:30']);
    expect(await api.put(`/api/doctors/${made.id}`, { fullName: 'Dra. Nueva', is_active: true }, clinic)).toMatchObject({ status: 200 });
    expect(await api.delete(`/api/doctors/${made.id}`, clinic)).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    expect((await api.get(`/api/doctors/${made.id}`, clinic)).body.is_active).toBe(false);
    expect((await api.get('/api/doctors?limit=500', clinic)).body.doctors.map((one: Body) => one.id)).not.toContain(made.id);
    expect((await api.get(`/api/appointments/${appointment.id}`, clinic)).body.status).toBe('confirmed');
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

  test('the plan limits the doctors; a deactivated one no longer counts', async () => {
    const basic = await newClinic(api, { plan: 'basic' });
    const [first] = [await addDoctor(api, basic), await addDoctor(api, basic)];
    expect(await api.post('/api/doctors', { fullName: 'Third' }, basic)).toMatchObject(failure(403, 'DOCTOR_LIMIT_REACHED'));
    await api.delete(`/api/doctors/${first.id}`, basic);
    await addDoctor(api, basic);
    expect(await api.patch(`/api/doctors/${first.id}`, { is_active: true }, basic)).toMatchObject(failure(403, 'DOCTOR_LIMIT_REACHED'));
  });
});

describe('patients', () => {
  test('a patient has every field; the national id is complete alone and masked in lists', async () => {
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
  test('an appointment has every field: alone, in the response to the booking and in the list', async () => {
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

  test('the filters and the pages of the list', async () => {
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

  test('a start that is not a slot, a slot that is taken and an unknown doctor are refused', async () => {
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

  test('each change of status has its effects; setting the same status again has none', async () => {
    const appointment = await book(api, clinic, booking(doctor.id, '10:00', inDays(11)));
    const set = (status: string, more: Body = {}) => api.patch(`/api/appointments/${appointment.id}/status`, { status, ...more }, clinic);
    const patient = async () => (await api.get(`/api/patients/${appointment.patient_id}`, clinic)).body;

    const missed = await set('no_show');
    expect(missed).toMatchObject({
      status: 200,
      body: { status: 'no_show', cancelled_at: null, completed_at: null, patients: { id: appointment.patient_id } },
    });
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

  test('an Idempotency-Key returns the first response again, and refuses another body', async () => {
    const key = `desk-${randomUUID()}`;
    const body = booking(doctor.id, '10:30', inDays(12));
    const send = (what: Body) => api.post('/api/appointments', what, { ...clinic, headers: freshKey(key) });
    const first = await send(body);
    expect(first).toMatchObject({ status: 201, body: { idempotency_key: `MANUAL_${key}` } });
    expect(await send(body)).toMatchObject({ status: 201, body: first.body });
    expect(await send({ ...body, notes: 'other' })).toMatchObject(failure(409, 'IDEMPOTENCY_KEY_REUSED'));
  });

  test('appointments booked at the desk are not counted as chat bookings', async () => {
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const { status, body } = await api.get(`/api/appointments/notifications?since=${since}`, clinic);
    expect(status).toBe(200);
    expect(body).toEqual({ count: 0, since });
    expect((await api.get('/api/appointments/notifications', clinic)).body).toEqual({ count: 0, since: INSTANT });
  });
});
