// The assistant through the public door.
import { door } from '@clinic/lib/testing/door.ts';
import { expect, test } from '@jest/globals';
import { apiAt, expectStatus } from './api.ts';
import { addDoctor, book, booking, inDays, newClinic } from './clinic.ts';

const api = apiAt(door());

test('a day in short', async () => {
  const clinic = await newClinic(api, { plan: 'pro' });
  const doctor = await addDoctor(api, clinic);
  const visit = await book(api, clinic, booking(doctor.id, '09:00', inDays(7)));
  await expectStatus(201, api.post('/api/waitlist', { patientId: visit.patient_id, doctorId: doctor.id, dateFrom: inDays(6), dateTo: inDays(8) }, clinic));
  const { body } = await expectStatus(200, api.get(`/api/assistant/briefing?date=${inDays(7)}`, clinic));
  expect(body).toMatchObject({
    date: inDays(7),
    source: 'rules',
    appointments: { total: 1, confirmed: 1, first_start: '09:00:00', last_end: '09:30:00', by_doctor: [{ doctor_id: doctor.id, visits: 1, gap_minutes: 210 }] },
    unconfirmed: [],
    gaps: [{ doctor_id: doctor.id, start_time: '08:00:00', end_time: '09:00:00', minutes: 60 }, { minutes: 150 }],
    waitlist: { total: 1, suits_day: 1, items: [{ patient_id: visit.patient_id, patient_name: 'Luis Pérez', status: 'waiting' }] },
    conversations_waiting: { total: 0, items: [] },
    overdue_payments: { total: 0, amount: 0, items: [] },
    recalls_due: { total: 0, items: [] },
    yesterday: { date: inDays(6), total: 0 },
    alerts: [{ code: 'waitlist_fits', href: '/api/waitlist?status=waiting' }],
  });
  expect(body.summary).toContain('hay 1 cita con 1 doctor');
  await expectStatus(200, api.get('/api/assistant/briefing', clinic));
  await expectStatus(400, api.get('/api/assistant/briefing?date=2026-02-30', clinic));
});

test('a clinic that is no dental one has no payments', async () => {
  const clinic = await newClinic(api, { registration: { clinicType: 'medical' } });
  expect((await expectStatus(200, api.get('/api/assistant/briefing', clinic))).body).toMatchObject({ overdue_payments: null, recalls_due: null });
});

test('names stay in the house unless the clinic says otherwise', async () => {
  const clinic = await newClinic(api);
  expect((await expectStatus(200, api.get('/api/assistant/settings', clinic))).body).toMatchObject({ source: 'rules', send_names: false, tokens_today: 0 });
  expect((await expectStatus(200, api.patch('/api/assistant/settings', { send_names: true }, clinic))).body.send_names).toBe(true);
});

test('the basic plan has no assistant', async () => {
  const clinic = await newClinic(api, { plan: 'basic' });
  for (const path of ['/api/assistant/briefing', '/api/assistant/settings'])
    expect((await expectStatus(403, api.get(path, clinic))).body.code).toBe('PLAN_UPGRADE_REQUIRED');
});
