// Concurrent requests: the database decides, exactly one succeeds, and the others receive the reason.
import { randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, apiAt, type Body, freshKey } from './api.ts';
import { addDoctor, book, booking, type Clinic, everyDay, freeSlots, inDays, inviteCode, newClinic, register } from './clinic.ts';

const api = apiAt(publicApi());
let clinic: Clinic;
let doctor: Body;
beforeAll(async () => {
  clinic = await newClinic(api);
  doctor = await addDoctor(api, clinic);
});

const times = <T>(count: number, work: (index: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const post = (body: Body) => api.post('/api/appointments', body, clinic);

/** The number of responses by outcome: `{ '201': 1, '409 SLOT_TAKEN': 39 }`. */
function tally(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = status < 400 ? String(status) : `${status} ${body?.code}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

describe('one slot', () => {
  test('of 40 bookings one succeeds, 39 get SLOT_TAKEN, and the list has one', async () => {
    const date = inDays(7);
    const answers = await times(40, () => post(booking(doctor.id, '08:00', date)));
    expect(tally(answers)).toEqual({ 201: 1, '409 SLOT_TAKEN': 39 });
    const { body } = await api.get(`/api/appointments?date=${date}`, clinic);
    expect(body.appointments.map((row: Body) => row.id)).toEqual([answers.find(({ status }) => status === 201)?.body.id]);
  });

  test('of bookings with overlapping starts off the grid, one succeeds', async () => {
    const date = inDays(8);
    const starts = ['14:00', '14:05', '14:10', '14:15', '14:20', '14:25', '14:29'];
    const answers = await times(21, (index) => post({ ...booking(doctor.id, starts[index % 7] ?? '', date), outsideHours: true }));
    expect(tally(answers)).toEqual({ 201: 1, '409 SLOT_TAKEN': 20 });
  });

  test('after a cancellation the slot is free; after rebooking the cancelled appointment cannot return', async () => {
    const date = inDays(9);
    const first = await book(api, clinic, booking(doctor.id, '08:00', date));
    const set = (id: string, status: string) => api.patch(`/api/appointments/${id}/status`, { status }, clinic);
    await times(8, () => set(first.id, 'cancelled'));
    expect(await freeSlots(api, clinic, doctor.id, date)).toContain('08:00');
    const second = await book(api, clinic, booking(doctor.id, '08:00', date));
    expect(tally(await times(8, () => set(first.id, 'confirmed')))).toEqual({ '409 SLOT_TAKEN': 8 });
    await set(second.id, 'cancelled');
    expect((await set(first.id, 'confirmed')).status).toBe(200);
  });

  test('of a concurrent return to confirmed and a new booking, one succeeds', async () => {
    const date = inDays(10);
    for (const time of ['08:00', '08:30', '09:00', '09:30']) {
      const { id } = await book(api, clinic, booking(doctor.id, time, date));
      const back = () => api.patch(`/api/appointments/${id}/status`, { status: 'confirmed' }, clinic);
      await api.patch(`/api/appointments/${id}/status`, { status: 'cancelled' }, clinic);
      const answers = await Promise.all([back(), post(booking(doctor.id, time, date))]);
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      expect(answers.find(({ status }) => status >= 300)).toMatchObject({ status: 409, body: { code: 'SLOT_TAKEN' } });
    }
  });

  test('concurrent no-shows of one appointment are counted once', async () => {
    const { id, patient_id } = await book(api, clinic, booking(doctor.id, '10:00', inDays(10)));
    expect(tally(await times(12, () => api.patch(`/api/appointments/${id}/status`, { status: 'no_show' }, clinic)))).toEqual({ 200: 12 });
    expect((await api.get(`/api/patients/${patient_id}`, clinic)).body.no_show_count).toBe(1);
  });
});

test('40 bookings with one Idempotency-Key are one appointment, and all return it', async () => {
  const body = booking(doctor.id, '11:00', inDays(11));
  const headers = freshKey();
  const answers = await times(40, () => api.post('/api/appointments', body, { ...clinic, headers }));
  expect(tally(answers)).toEqual({ 201: 40 });
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
  expect((await api.get(`/api/appointments?date=${inDays(11)}`, clinic)).body.total).toBe(1);
});

test('every creating route returns its first response for a repeated key', async () => {
  const key = randomUUID();
  const twice = async (path: string, body: Body, who: { token?: string; headers?: Record<string, string> }) => {
    const send = () => api.post(path, body, { ...who, headers: { ...who.headers, ...freshKey(`${key}${path}`) } });
    const answers = await times(6, send);
    expect(tally(answers)).toEqual({ 201: 6 });
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
  };
  await twice('/api/doctors', { fullName: 'Dra. Una', workingHours: everyDay('08:00', '09:00') }, clinic);
  await twice('/api/patients', { fullName: 'Uno Solo', phone: booking('', '').patientPhone }, clinic);
  await twice('/api/superadmin/invite-codes', { plan: 'pro', notes: 'once' }, api.operator);
});

test('one invite code redeemed 8 times concurrently creates one clinic', async () => {
  const invite = await inviteCode(api);
  const answers = await times(8, () => register(api, invite.code, { clinicName: `Carrera ${invite.id}` }));
  expect(tally(answers)).toEqual({ 201: 1, '400 INVALID_INVITE_CODE': 7 });
  const { body: clinics } = await api.get('/api/superadmin/clinics', api.operator);
  expect(clinics.filter((one: Body) => one.name === `Carrera ${invite.id}`)).toHaveLength(1);
});

test('one e-mail registered concurrently with 6 codes creates one account', async () => {
  const codes = await times(6, () => inviteCode(api));
  const email = `race-${randomUUID()}@clinic.example`;
  const answers = await times(6, (index) => register(api, codes[index].code, { email }));
  expect(tally(answers)).toEqual({ 201: 1, '409 EMAIL_TAKEN': 5 });
});

test('of 14 concurrent doctors under a limit of 8, eight are created', async () => {
  const pro = await newClinic(api, { plan: 'pro' });
  const answers = await times(14, (index) => api.post('/api/doctors', { fullName: `Doctor ${index}` }, pro));
  expect(tally(answers)).toEqual({ 201: 8, '403 DOCTOR_LIMIT_REACHED': 6 });
  expect((await api.get('/api/doctors', pro)).body.total).toBe(8);
});

test('eight concurrent bookings for one new phone create one patient', async () => {
  const { patientPhone } = booking(doctor.id, '');
  const slots = ['08:00', '08:30', '09:00', '09:30', '10:00', '10:30', '11:00', '11:30'];
  const answers = await times(8, (index) => post({ ...booking(doctor.id, slots[index] ?? '', inDays(12)), patientPhone }));
  expect(tally(answers)).toEqual({ 201: 8 });
  expect(new Set(answers.map((answer) => answer.body.patient_id)).size).toBe(1);
});

test('exactly the listed slots can be booked: each of them, and no other minute of the grid', async () => {
  const breaks = [{ dayOfWeek: 0, startTime: '09:00', endTime: '09:20' }].flatMap((range) => everyDay(range.startTime, range.endTime));
  const who = await addDoctor(api, clinic, { consultationDurationMinutes: 20, bufferTimeMinutes: 5, workingHours: everyDay('08:00', '10:30'), breaks });
  const date = inDays(13);
  const listed = await freeSlots(api, clinic, who.id, date);
  expect(listed.length).toBeGreaterThan(3);
  const others = Array.from({ length: 30 }, (_, index) => {
    const minutes = 7 * 60 + 45 + index * 5;
    return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  }).filter((time) => !listed.includes(time));
  expect(tally(await times(others.length, (index) => post(booking(who.id, others[index] ?? '', date))))).toEqual({ '409 SLOT_UNAVAILABLE': others.length });
  expect(tally(await times(listed.length, (index) => post(booking(who.id, listed[index] ?? '', date))))).toEqual({ 201: listed.length });
  expect(await freeSlots(api, clinic, who.id, date)).toEqual([]);
});
