// A patient waits, a cancellation frees a slot, and the desk says yes for the one who was asked.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus, freshKey } from './api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, freeSlots, freshPhone, inDays, newClinic } from './clinic.ts';

const api = apiAt(publicApi());
let clinic: Clinic;
let doctor: Body;
beforeAll(async () => {
  clinic = await newClinic(api);
  doctor = await addDoctor(api, clinic);
});

const wish = (date: string, wants: Body = {}) => ({ patientName: 'Eva Luna', patientPhone: freshPhone(), dateFrom: date, dateTo: date, ...wants });
const join = async (body: Body) => (await expectStatus(201, api.post('/api/waitlist', body, clinic))).body;
const entry = async (id: string) => (await expectStatus(200, api.get('/api/waitlist?limit=500', clinic))).body.entries.find((one: Body) => one.id === id);
async function free(date: string, startTime = '09:00'): Promise<Body> {
  const appointment = await book(api, clinic, booking(doctor.id, startTime, date));
  return { appointment, cancel: () => expectStatus(200, api.patch(`/api/appointments/${appointment.id}/status`, { status: 'cancelled' }, clinic)) };
}

test('from joining to the booked appointment', async () => {
  const date = inDays(20);
  const { cancel } = await free(date);
  const patient = await addPatient(api, clinic, { fullName: 'Eva Luna' });
  const waiting = await join({
    patientId: patient.id,
    doctorId: doctor.id,
    dateFrom: date,
    dateTo: date,
    timeFrom: '08:30',
    timeTo: '10:00',
    notes: 'Prefiere temprano',
  });
  expect(waiting).toMatchObject({
    clinic_id: clinic.id,
    patient_id: patient.id,
    doctor_id: doctor.id,
    date_from: date,
    date_to: date,
    time_from: '08:30:00',
    time_to: '10:00:00',
    notes: 'Prefiere temprano',
    status: 'waiting',
    appointment_id: null,
    offer: null,
    patients: { id: patient.id, full_name: 'Eva Luna', phone: patient.phone },
    doctors: { id: doctor.id, full_name: doctor.full_name },
  });
  await cancel();
  // The clinic has no chat channel, so the 15 minutes begin as soon as messaging knows of the offer.
  const offered = await waitFor(async () => {
    const one = await entry(waiting.id);
    return (Date.parse(one.offer.expires_at) - Date.now()) / 60_000 <= 15.1 && one;
  });
  expect(offered).toMatchObject({ status: 'offered', offer: { doctor_id: doctor.id, appointment_date: date, start_time: '09:00:00', end_time: '09:30:00' } });
  expect((Date.parse(offered.offer.expires_at) - Date.now()) / 60_000).toBeGreaterThan(13);
  expect(await freeSlots(api, clinic, doctor.id, date)).not.toContain('09:00');
  const booked = await expectStatus(201, api.post(`/api/waitlist/${waiting.id}/accept`, undefined, { ...clinic, headers: freshKey('yes') }));
  expect(booked.body).toMatchObject({ patient_id: patient.id, doctor_id: doctor.id, appointment_date: date, start_time: '09:00:00', source: 'waitlist' });
  const again = await expectStatus(201, api.post(`/api/waitlist/${waiting.id}/accept`, undefined, { ...clinic, headers: freshKey('yes') }));
  expect(again.body.id).toBe(booked.body.id);
  expect((await expectStatus(409, api.post(`/api/waitlist/${waiting.id}/accept`, undefined, clinic))).body.code).toBe('OFFER_NOT_OPEN');
  expect(await entry(waiting.id)).toMatchObject({ status: 'booked', appointment_id: booked.body.id, offer: null });
  expect((await expectStatus(200, api.get('/api/waitlist?status=booked', clinic))).body.entries.map(({ id }: Body) => id)).toEqual([waiting.id]);
});

test('no, and leaving, pass it to the next in line', async () => {
  const date = inDays(21);
  const { cancel } = await free(date);
  const [first, second] = [await join(wish(date)), await join(wish(date))];
  await cancel();
  const declined = await expectStatus(200, api.post(`/api/waitlist/${first.id}/decline`, undefined, clinic));
  expect(declined.body).toMatchObject({ status: 'waiting', offer: null });
  expect((await entry(second.id)).status).toBe('offered');
  expect((await expectStatus(200, api.delete(`/api/waitlist/${second.id}`, clinic))).body.status).toBe('left');
  expect(await freeSlots(api, clinic, doctor.id, date)).toContain('09:00');
});

test('24 acceptances of one offer are one appointment', async () => {
  const date = inDays(22);
  const { cancel } = await free(date);
  const { id } = await join(wish(date));
  await cancel();
  const answers = await Promise.all(Array.from({ length: 24 }, () => api.post(`/api/waitlist/${id}/accept`, undefined, clinic)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status, body }) => status === 409 && body.code === 'OFFER_NOT_OPEN')).toHaveLength(23);
  const { body } = await api.get(`/api/appointments?date=${date}&status=confirmed`, clinic);
  expect(body.total).toBe(1);
});

test('what is asked for must make sense', async () => {
  const post = (body: Body) => api.post('/api/waitlist', body, clinic);
  const date = inDays(23);
  for (const [body, path] of [
    [{ dateFrom: date, dateTo: date }, 'patientName'],
    [{ ...wish(date), patientPhone: 'no' }, 'patientPhone'],
    [{ ...wish(date), dateTo: inDays(22) }, 'dateTo'],
    [{ ...wish('2020-01-01') }, 'dateTo'],
    [{ ...wish(date), timeFrom: '10:00', timeTo: '09:00' }, 'timeTo'],
    [{ ...wish(date), timeFrom: '25:00' }, 'timeFrom'],
  ] as const) {
    const answer = await expectStatus(400, post(body));
    expect([path, answer.body.details?.[0]?.path]).toEqual([path, path]);
  }
  await expectStatus(400, api.get('/api/waitlist?status=unknown', clinic));
  const otherClinic = await newClinic(api);
  const foreign = await addPatient(api, otherClinic);
  expect((await expectStatus(404, post({ patientId: foreign.id, dateFrom: date, dateTo: date }))).body.error).toBe('Patient not found');
});
