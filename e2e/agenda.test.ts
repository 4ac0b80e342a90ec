// The agenda of a day and the request of its mail, through the public API.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { expect, test } from '@jest/globals';
import { apiAt, expectStatus } from './api.ts';
import { addDoctor, book, booking, inDays, newClinic } from './clinic.ts';

const api = apiAt(publicApi());

test('appointments, gaps and figures of a day by doctor', async () => {
  const clinic = await newClinic(api, { plan: 'pro' });
  const [doctor, other] = [await addDoctor(api, clinic), await addDoctor(api, clinic, { fullName: 'Dra. Zelaya', specialty: 'Ortodoncia' })];
  const appointment = await book(api, clinic, { ...booking(doctor.id, '09:00', inDays(7)), notes: 'Control' });
  const { body } = await expectStatus(200, api.get(`/api/agenda?date=${inDays(7)}`, clinic));
  expect(body).toMatchObject({
    date: inDays(7),
    doctors: [
      {
        doctor_id: doctor.id,
        full_name: doctor.full_name,
        on_vacation: false,
        hours: [{ start_time: '08:00:00', end_time: '12:00:00', minutes: 240 }],
        // plain-words: visits is a field of the API
        visits: [
          // plain-words: visits is a field of the API
          {
            id: appointment.id,
            start_time: '09:00:00',
            end_time: '09:30:00',
            status: 'confirmed',
            source: 'manual',
            notes: 'Control',
            checked_in_at: null,
            patients: { id: appointment.patient_id, full_name: 'Luis Pérez' },
          },
        ],
        gaps: [
          { start_time: '08:00:00', end_time: '09:00:00', minutes: 60 },
          { start_time: '09:30:00', end_time: '12:00:00', minutes: 150 },
        ],
        totals: { visits: 1, confirmed: 1, gap_minutes: 210 }, // plain-words: visits is a field of the API
      },
      { doctor_id: other.id, specialty: 'Ortodoncia', visits: [] }, // plain-words: visits is a field of the API
    ],
    totals: { visits: 1, gap_minutes: 450 }, // plain-words: visits is a field of the API
  });
  const one = await expectStatus(200, api.get(`/api/agenda?date=${inDays(7)}&doctor_id=${other.id}`, clinic));
  expect(one.body.doctors.map((one: { doctor_id: string }) => one.doctor_id)).toEqual([other.id]);
  await expectStatus(200, api.get('/api/agenda', clinic));
  await expectStatus(400, api.get('/api/agenda?date=2026-02-30', clinic));
  const foreignDoctor = await addDoctor(api, await newClinic(api));
  expect((await expectStatus(404, api.get(`/api/agenda?doctor_id=${foreignDoctor.id}`, clinic))).body.error).toBe('Doctor not found');
});

test('the mail is asked for and taken back by each user', async () => {
  const clinic = await newClinic(api);
  expect((await expectStatus(200, api.get('/api/agenda/subscription', clinic))).body).toEqual({ enabled: false });
  for (const enabled of [true, true, false]) {
    expect((await expectStatus(200, api.put('/api/agenda/subscription', { enabled }, clinic))).body).toEqual({ enabled });
    expect((await api.get('/api/agenda/subscription', clinic)).body).toEqual({ enabled });
  }
  await expectStatus(400, api.put('/api/agenda/subscription', { enabled: 'yes' }, clinic));
});

test('the basic plan has no agenda', async () => {
  const clinic = await newClinic(api, { plan: 'basic' });
  for (const path of ['/api/agenda', '/api/agenda/subscription'])
    expect((await expectStatus(403, api.get(path, clinic))).body.code).toBe('PLAN_UPGRADE_REQUIRED');
});
