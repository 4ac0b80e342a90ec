// A patient joins the waitlist, a cancellation frees a slot, and the desk accepts the offer for the patient.
import { randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import type { Clinic as ClinicClient } from '../sdk/src/index.ts';
import { apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, freeSlots, freshPhone, inDays, newClinic, sdkOf } from './clinic.ts';

const api = apiAt(publicApi());
let clinic: Clinic;
let doctor: Body;
let sdk: ClinicClient;
beforeAll(async () => {
  clinic = await newClinic(api);
  sdk = sdkOf(api, clinic);
  doctor = await addDoctor(api, clinic);
  await expectStatus(200, api.patch('/api/chat/reminders', { quiet_from: '00:00', quiet_until: '00:00' }, clinic)); // offers begin at any time of the day
});

const wish = (date: string, wants: Body = {}) => ({ patientName: 'Eva Luna', patientPhone: freshPhone(), dateFrom: date, dateTo: date, ...wants });
const join = (body: Body) => sdk.post('/api/waitlist', { body });
const of = (id: string) => ({ params: { path: { id } } });
const accept = (id: string, key: string = randomUUID()) =>
  sdk.post('/api/waitlist/{id}/accept', { params: { path: { id }, header: { 'Idempotency-Key': key } } });
async function entry(id: string) {
  for await (const one of sdk.each('/api/waitlist')) if (one.id === id) return one;
  throw new Error(`no entry ${id}`);
}
async function free(date: string, startTime = '09:00') {
  const { id } = await book(api, clinic, booking(doctor.id, startTime, date));
  return { cancel: () => sdk.patch('/api/appointments/{id}/status', { ...of(id), body: { status: 'cancelled' } }) };
}

test('an entry becomes an appointment', async () => {
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
  // The clinic has no chat channel, so the 15 minutes begin as soon as messaging handles the offer.
  const offered = await waitFor(async () => {
    const { offer, ...one } = await entry(waiting.id);
    return offer !== null && (Date.parse(offer.expires_at) - Date.now()) / 60_000 <= 15.1 && { ...one, offer };
  });
  expect(offered).toMatchObject({ status: 'offered', offer: { doctor_id: doctor.id, appointment_date: date, start_time: '09:00:00', end_time: '09:30:00' } });
  expect((Date.parse(offered.offer.expires_at) - Date.now()) / 60_000).toBeGreaterThan(13);
  expect(await freeSlots(api, clinic, doctor.id, date)).not.toContain('09:00');
  const booked = await accept(waiting.id, 'yes');
  expect(booked).toMatchObject({ patient_id: patient.id, doctor_id: doctor.id, appointment_date: date, start_time: '09:00:00', source: 'waitlist' });
  expect((await accept(waiting.id, 'yes')).id).toBe(booked.id);
  await expect(accept(waiting.id)).rejects.toMatchObject({ status: 409, code: 'OFFER_NOT_OPEN' });
  expect(await entry(waiting.id)).toMatchObject({ status: 'booked', appointment_id: booked.id, offer: null });
  const { entries } = await sdk.get('/api/waitlist', { params: { query: { status: 'booked' } } });
  expect(entries.map(({ id }) => id)).toEqual([waiting.id]);
});

test('a refusal, or leaving the waitlist, passes the offer to the next patient', async () => {
  const date = inDays(21);
  const { cancel } = await free(date);
  const [first, second] = [await join(wish(date)), await join(wish(date))];
  await cancel();
  expect(await sdk.post('/api/waitlist/{id}/decline', of(first.id))).toMatchObject({ status: 'waiting', offer: null });
  expect((await entry(second.id)).status).toBe('offered');
  expect((await sdk.delete('/api/waitlist/{id}', of(second.id))).status).toBe('left');
  expect(await freeSlots(api, clinic, doctor.id, date)).toContain('09:00');
});

test('24 concurrent acceptances of one offer create one appointment', async () => {
  const date = inDays(22);
  const { cancel } = await free(date);
  const { id } = await join(wish(date));
  await cancel();
  const answers = await Promise.all(Array.from({ length: 24 }, () => api.post(`/api/waitlist/${id}/accept`, undefined, clinic)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status, body }) => status === 409 && body.code === 'OFFER_NOT_OPEN')).toHaveLength(23);
  const { total } = await sdk.get('/api/appointments', { params: { query: { date, status: 'confirmed' } } });
  expect(total).toBe(1);
});

test('invalid wishes are refused', async () => {
  const date = inDays(23);
  for (const [body, path] of [
    [{ dateFrom: date, dateTo: date }, 'patientName'],
    [{ ...wish(date), patientPhone: 'no' }, 'patientPhone'],
    [{ ...wish(date), dateTo: inDays(22) }, 'dateTo'],
    [{ ...wish('2020-01-01') }, 'dateTo'],
    [{ ...wish(date), timeFrom: '10:00', timeTo: '09:00' }, 'timeTo'],
    [{ ...wish(date), timeFrom: '25:00' }, 'timeFrom'],
  ] as const) {
    await expect(join(body)).rejects.toMatchObject({ status: 400, details: [{ path }] });
  }
  await expect(sdk.get('/api/waitlist', { params: { query: { status: 'unknown' as never } } })).rejects.toMatchObject({ status: 400 });
  const foreign = await addPatient(api, await newClinic(api));
  const refused = { status: 404, message: 'Patient not found' };
  await expect(join({ patientId: foreign.id, dateFrom: date, dateTo: date })).rejects.toMatchObject(refused);
});
