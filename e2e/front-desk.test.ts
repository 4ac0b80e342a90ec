// The work of a front desk beyond booking: holding slots, rescheduling, vacations and calendar subscriptions.

import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import type { Clinic as ClinicClient } from '../sdk/src/index.ts';
import { type Api, apiAt, expectStatus } from './api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, freeSlots, inDays, newClinic, sdkOf } from './clinic.ts';

let api: Api;
let clinic: Clinic;
let sdk: ClinicClient;
beforeAll(async () => {
  api = apiAt(publicApi());
  clinic = await newClinic(api);
  sdk = sdkOf(api, clinic);
});

test('a held slot is booked with its draft, and an appointment is rescheduled in one step', async () => {
  const doctor = await addDoctor(api, clinic);
  const body = { doctorId: doctor.id, appointmentDate: inDays(7), startTime: '08:30' };
  const draft = await sdk.post('/api/slot-drafts', { body });
  expect(Object.keys(draft)).toEqual(['id', 'doctor_id', 'appointment_date', 'start_time', 'expires_at']);
  expect(await freeSlots(api, clinic, doctor.id)).not.toContain('08:30');
  const taken = { code: 'SLOT_TAKEN', message: 'Slot no longer available' };
  await expect(sdk.post('/api/appointments', { body: booking(doctor.id, '08:30') })).rejects.toMatchObject(taken);
  const { id } = await sdk.post('/api/appointments', { body: { ...booking(doctor.id, '08:30'), slotDraftId: draft.id } });
  const moved = await sdk.post('/api/appointments/{id}/reschedule', { params: { path: { id } }, body: { appointmentDate: inDays(8), startTime: '09:00' } });
  expect(moved).toMatchObject({ id, appointment_date: inDays(8), start_time: '09:00:00', status: 'confirmed' });
  expect(await freeSlots(api, clinic, doctor.id)).toContain('08:30');
  const params = { path: { id: (await sdk.post('/api/slot-drafts', { body })).id } };
  await sdk.delete('/api/slot-drafts/{id}', { params });
  await expect(sdk.delete('/api/slot-drafts/{id}', { params })).rejects.toMatchObject({ status: 404 });
});

test('a reloaded page gets its held slot again', async () => {
  const doctor = await addDoctor(api, clinic);
  const slot = { doctorId: doctor.id, appointmentDate: inDays(7), startTime: '08:30' };
  const first = (await expectStatus(201, api.post('/api/slot-drafts', slot, clinic))).body;
  expect((await expectStatus(200, api.post('/api/slot-drafts', slot, clinic))).body).toMatchObject({ id: first.id });
});

test("a child is booked by its id, the list finds its appointments, and the mother's name does not change", async () => {
  const doctor = await addDoctor(api, clinic);
  const mother = await addPatient(api, clinic, { fullName: 'Rosa Díaz' });
  const child = (await expectStatus(201, api.post(`/api/patients/${mother.id}/dependants`, { fullName: 'Ana Díaz' }, clinic))).body;
  const slot = (startTime: string) => ({ doctorId: doctor.id, appointmentDate: inDays(7), startTime });
  const first = await book(api, clinic, { ...slot('08:00'), patientId: child.id });
  await book(api, clinic, { ...slot('09:00'), patientName: 'ana diaz', patientPhone: mother.phone });
  const list = (query: string) => api.get(`/api/appointments?patient_id=${child.id}&${query}`, clinic);
  const listed = (await expectStatus(200, list('sort=-start'))).body;
  expect(listed).toMatchObject({ total: 2, appointments: [{ start_time: '09:00:00' }, { id: first.id, patients: { full_name: 'Ana Díaz' } }] });
  expect((await expectStatus(200, list(`updated_since=${inDays(1)}T00:00:00Z`))).body.total).toBe(0);
  for (const wrong of ['sort=name', 'updated_since=ayer', 'time_conflict=maybe']) await expectStatus(400, list(wrong));
  expect((await expectStatus(200, api.get(`/api/patients/${mother.id}`, clinic))).body.full_name).toBe('Rosa Díaz');
  await expectStatus(400, api.post('/api/appointments', { ...slot('10:00'), patientId: child.id, patientName: 'Rosa Díaz' }, clinic));
});

test('null durations of a doctor are refused', async () => {
  const doctor = await addDoctor(api, clinic);
  for (const field of ['consultationDurationMinutes', 'bufferTimeMinutes']) {
    const refused = await expectStatus(400, api.patch(`/api/doctors/${doctor.id}`, { [field]: null }, clinic));
    expect(refused.body.details).toMatchObject([{ path: field }]);
  }
});

test('a doctor works until midnight', async () => {
  const workingHours = [{ dayOfWeek: 1, startTime: '22:00', endTime: '24:00' }];
  const doctor = await addDoctor(api, clinic, { workingHours });
  expect(doctor.doctor_working_hours).toMatchObject([{ day_of_week: 1, start_time: '22:00:00', end_time: '24:00:00' }]);
  const change = (endTime: string) => api.patch(`/api/doctors/${doctor.id}`, { workingHours: [{ dayOfWeek: 1, startTime: '22:00:00', endTime }] }, clinic);
  expect((await expectStatus(200, change('24:00:00'))).body.doctor_working_hours).toEqual(doctor.doctor_working_hours);
  for (const endTime of ['00:00', '24:01', '25:00'])
    expect((await expectStatus(400, change(endTime))).body.details).toMatchObject([{ path: 'workingHours.0.endTime' }]);
  const monday = Array.from({ length: 7 }, (_, index) => inDays(index + 7)).find((date) => new Date(date).getUTCDay() === 1) ?? '';
  expect(await freeSlots(api, clinic, doctor.id, monday)).toEqual(['22:00', '22:30', '23:00', '23:30']);
  expect(await book(api, clinic, booking(doctor.id, '23:30', monday))).toMatchObject({ appointment_date: monday, end_time: '00:00:00' });
  const { doctors } = (await expectStatus(200, api.get(`/api/agenda?date=${monday}&doctor_id=${doctor.id}`, clinic))).body;
  expect(doctors[0]).toMatchObject({ hours: [{ start_time: '22:00:00', end_time: '24:00:00', minutes: 120 }], gaps: [{ end_time: '23:30:00' }] });
});

test('when the clinic changes its time zone, appointments keep their local time, and slots and feeds follow', async () => {
  const moving = await newClinic(api);
  const doctor = await addDoctor(api, moving);
  const appointment = await book(api, moving, booking(doctor.id, '09:00'));
  const free = await freeSlots(api, moving, doctor.id);
  const { feedUrl } = (await expectStatus(200, api.get(`/api/calendar/feed-url/${doctor.id}`, moving))).body;
  await expectStatus(200, api.patch('/api/clinics/settings', { timezone: 'Asia/Kathmandu' }, moving));
  const shown = async () => (await expectStatus(200, api.get(`/api/appointments/${appointment.id}`, moving))).body;
  await waitFor(async () => expect((await shown()).starts_at).toBe(`${inDays(7)}T03:15:00.000Z`));
  expect(await shown()).toMatchObject({ appointment_date: inDays(7), start_time: '09:00:00', end_time: '09:30:00' });
  expect(await freeSlots(api, moving, doctor.id)).toEqual(free);
  expect((await expectStatus(200, api.get(new URL(feedUrl).pathname))).text).toContain(`DTSTART:${inDays(7).replaceAll('-', '')}T031500Z`);
  expect((await expectStatus(200, api.get('/api/appointments?time_conflict=true', moving))).body.total).toBe(0);
});

test('a vacation returns the appointments within it and leaves no free day in the month', async () => {
  const doctor = await addDoctor(api, clinic);
  const appointment = await book(api, clinic, booking(doctor.id, '08:00', inDays(30)));
  const vacation = { startDate: inDays(30), endDate: inDays(30), reason: 'Congreso' };
  const path = { doctorId: doctor.id };
  const made = await sdk.post('/api/doctors/{doctorId}/vacations', { params: { path }, body: vacation });
  expect(made.conflicts).toMatchObject([{ appointment_id: appointment.id, patient_name: 'Luis Pérez' }]);
  const { days } = await sdk.get('/api/doctors/{doctorId}/availability', { params: { path, query: { month: inDays(30).slice(0, 7) } } });
  expect(days.find(({ date }) => date === inDays(30))).toEqual({ date: inDays(30), free: 0 });
  expect(await sdk.get('/api/doctors/{doctorId}/vacations', { params: { path } })).toMatchObject({ total: 1, page: 1, limit: 50 });
  await sdk.delete('/api/doctors/{doctorId}/vacations/{vacationId}', { params: { path: { ...path, vacationId: made.id } } });
});

test('a phone subscribes to the feed, gets 304 when nothing changed, and is refused after the URL was replaced', async () => {
  const doctor = await addDoctor(api, clinic);
  await book(api, clinic, { ...booking(doctor.id, '08:00'), patientName: 'Zoë Última' });
  expect(doctor.calendar_feed_token).toBeNull();
  const urls = (await expectStatus(200, api.get(`/api/calendar/feed-url/${doctor.id}`, clinic))).body;
  expect(Object.keys(urls)).toEqual(['doctorId', 'doctorName', 'openUrl', 'feedUrl', 'webcalUrl']);
  expect(urls.feedUrl).toMatch(/^http:\/\/localhost:\d+\/api\/calendar\/feed\/[0-9a-f]{64}\.ics$/);
  expect((await expectStatus(200, api.get(`/api/doctors/${doctor.id}`, clinic))).body.calendar_feed_token).toBe(urls.feedUrl.slice(-68, -4));
  const pathOf = (url: string) => new URL(url).pathname;
  const feed = await expectStatus(200, api.get(pathOf(urls.feedUrl)));
  expect(feed.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  expect(feed.text).toContain('SUMMARY:Zoë\r\n');
  const [etag, modified] = [feed.headers.get('etag') ?? '', feed.headers.get('last-modified') ?? ''];
  await expectStatus(304, api.get(pathOf(urls.feedUrl), { headers: { 'If-None-Match': etag } }));
  await expectStatus(304, api.get(pathOf(urls.feedUrl), { headers: { 'If-Modified-Since': modified } }));
  const opened = await expectStatus(302, api.get(pathOf(urls.openUrl), { headers: { 'User-Agent': 'Mozilla/5.0 (iPhone)' } }));
  expect(opened.headers.get('location')).toBe(urls.webcalUrl);
  for (const [on, status] of [
    [false, 404],
    [true, 200],
  ] as const) {
    await expectStatus(200, api.patch('/api/clinics/features', { features: { calendar_feeds: on } }, clinic));
    await expectStatus(status, api.get(pathOf(urls.feedUrl)));
  }
  await expectStatus(200, api.post(`/api/calendar/feed-url/${doctor.id}/regenerate`, undefined, clinic));
  await expectStatus(404, api.get(pathOf(urls.feedUrl)));
  await expectStatus(404, api.get(pathOf(urls.openUrl)));
});
