// The agenda of a day and the subscription to its mail, through the public API.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { expect, test } from '@jest/globals';
import { apiAt } from './api.ts';
import { addDoctor, book, booking, inDays, newClinic, sdkOf } from './clinic.ts';

const api = apiAt(publicApi());

test('appointments, gaps and figures of a day by doctor', async () => {
  const clinic = await newClinic(api, { plan: 'pro' });
  const [doctor, other] = [await addDoctor(api, clinic), await addDoctor(api, clinic, { fullName: 'Dra. Zelaya', specialty: 'Ortodoncia' })];
  const appointment = await book(api, clinic, { ...booking(doctor.id, '09:00', inDays(7)), notes: 'Control' });
  const sdk = sdkOf(api, clinic);
  const agenda = (query: { date?: string; doctor_id?: string }) => sdk.get('/api/agenda', { params: { query } });
  expect(await agenda({ date: inDays(7) })).toMatchObject({
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
  const { doctors } = await agenda({ date: inDays(7), doctor_id: other.id });
  expect(doctors.map(({ doctor_id }) => doctor_id)).toEqual([other.id]);
  await agenda({});
  await expect(agenda({ date: '2026-02-30' })).rejects.toMatchObject({ status: 400, details: [{ path: 'date' }] });
  const foreignDoctor = await addDoctor(api, await newClinic(api));
  await expect(agenda({ doctor_id: foreignDoctor.id })).rejects.toMatchObject({ status: 404, message: 'Doctor not found' });
});

test('each user subscribes to the mail and unsubscribes', async () => {
  const sdk = sdkOf(api, await newClinic(api));
  const path = '/api/agenda/subscription';
  expect(await sdk.get(path)).toEqual({ enabled: false });
  for (const enabled of [true, true, false]) {
    expect(await sdk.put(path, { body: { enabled } })).toEqual({ enabled });
    expect(await sdk.get(path)).toEqual({ enabled });
  }
  await expect(sdk.put(path, { body: { enabled: 'yes' as never } })).rejects.toMatchObject({ status: 400, details: [{ path: 'enabled' }] });
});

test('the basic plan has no agenda', async () => {
  const sdk = sdkOf(api, await newClinic(api, { plan: 'basic' }));
  for (const path of ['/api/agenda', '/api/agenda/subscription'] as const)
    await expect(sdk.get(path)).rejects.toMatchObject({ status: 403, code: 'PLAN_UPGRADE_REQUIRED' });
});
