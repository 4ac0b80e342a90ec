// Changes at the desk appear in the figures within moments, and each link leads to the records.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, book, booking, type Clinic, inDays, newClinic } from './clinic.ts';

const api = apiAt(publicApi());
// One day more on either side, because the current day in the clinic may differ from that of this machine.
const period = `from=${inDays(-20)}&to=${inDays(40)}`;
const dashboard = async (clinic: Clinic): Promise<Body> => (await expectStatus(200, api.get(`/api/analytics/dashboard?${period}`, clinic))).body;

test('an appointment, a treatment and its payment change the figures', async () => {
  const clinic = await newClinic(api);
  const doctor = await addDoctor(api, clinic);
  const appointment = await book(api, clinic, booking(doctor.id, '09:00'));
  const gone = await book(api, clinic, booking(doctor.id, '10:00'));
  await expectStatus(200, api.patch(`/api/appointments/${gone.id}/status`, { status: 'cancelled' }, clinic));
  await expectStatus(200, api.patch(`/api/appointments/${appointment.id}/status`, { status: 'completed' }, clinic));
  const patient_id = appointment.patient_id;
  const treatment = (await expectStatus(201, api.post('/api/dental/treatment-plans', { patient_id, title: 'Corona' }, clinic))).body;
  const steps = `/api/dental/treatment-plans/${treatment.id}/steps`;
  await expectStatus(201, api.post(steps, { procedure: 'Corona', estimated_cost: 200, appointment_id: appointment.id }, clinic));
  await expectStatus(201, api.post(steps, { procedure: 'Control', estimated_cost: 50 }, clinic));
  const plan = { patient_id, treatment_plan_id: treatment.id, description: 'Corona', total_amount: 250, installments: 5 };
  const owed = (await expectStatus(201, api.post('/api/dental/payment-plans', plan, clinic))).body;
  const pay = (amount: number) => expectStatus(201, api.post(`/api/dental/payment-plans/${owed.id}/payments`, { amount }, clinic));
  await pay(19.5);
  const { payments } = (await pay(80.5)).body;
  await expectStatus(200, api.send('DELETE', `/api/dental/payments/${payments[0].id}`, { reason: 'Por error' }, clinic));

  // The figures come from events of several services, which arrive independently.
  await waitFor(async () => {
    const { revenue, visits, patients, treatment: plans } = await dashboard(clinic); // plain-words: visits is a field of the API
    expect([revenue.collected.value, revenue.pending.value, plans.unscheduled_steps.value]).toEqual([80.5, 169.5, 1]);
    expect([visits.booked.value, visits.cancelled.value, visits.completed.value, patients.new_patients.value]).toEqual([2, 1, 1, 1]); // plain-words: visits is a field of the API
    expect(revenue.by_doctor[0]?.doctor_id).toBe(doctor.id);
  });
  const { revenue, visits, patients, treatment: plans, receivables, occupancy } = await dashboard(clinic); // plain-words: visits is a field of the API
  expect(revenue.by_doctor).toMatchObject([{ full_name: doctor.full_name, collected: { value: 80.5, previous: 0, change: null } }]);
  expect(revenue.by_day).toHaveLength(61);
  // plain-words: visits is a field of the API
  expect(visits).toMatchObject({
    // plain-words: visits is a field of the API
    booked: { value: 2 },
    completed: { value: 1 },
    no_show_rate: { value: 0, previous: null },
    cancellation_rate: { value: 0.5 },
  });
  expect(patients).toMatchObject({ new_patients: { value: 1 }, returning_patients: { value: 0 } });
  expect(plans).toMatchObject({ acceptance_rate: { value: 1 }, unscheduled_amount: { value: 50 }, accepted_amount: { value: 250 } });
  expect(receivables).toMatchObject({ total: { value: 169.5 }, not_due: { value: 169.5 } });
  expect(occupancy).toMatchObject({ booked_minutes: 30, by_doctor: [{ doctor_id: doctor.id, booked_minutes: 30 }] });

  const follow = async ({ link }: Body) => (await expectStatus(200, api.get(link, clinic))).body;
  expect(await follow(revenue.collected)).toMatchObject({ total: 1, total_amount: 80.5, records: [{ id: payments[1].id, amount: 80.5, patient_id }] });
  expect((await follow((await follow(revenue.collected)).records[0])).id).toBe(owed.id);
  expect((await follow(visits.cancelled)).appointments.map(({ id }: Body) => id)).toEqual([gone.id]); // plain-words: visits is a field of the API
  expect(await follow(visits.chat_bookings)).toMatchObject({ total: 0 }); // plain-words: visits is a field of the API
  expect((await follow((await follow(patients.new_patients)).records[0])).id).toBe(patient_id);
  expect(await follow(receivables.not_due)).toMatchObject({ total: 1, total_amount: 169.5 });
  expect((await follow((await follow(plans.unscheduled_steps)).records[0])).id).toBe(treatment.id);

  const picture = await expectStatus(200, api.get(`/api/analytics/dashboard.svg?${period}`, clinic));
  expect([picture.headers.get('content-type'), picture.text.slice(0, 4)]).toEqual(['image/svg+xml', '<svg']);
  expect(picture.text).toContain('$80.50');
  const page = await expectStatus(200, api.get(`/api/analytics/dashboard.pdf?${period}`, clinic));
  expect([page.headers.get('content-type'), page.text.slice(0, 5)]).toEqual(['application/pdf', '%PDF-']);

  const peak = (await expectStatus(200, api.get(`/api/analytics/peak-hours?${period}`, clinic))).body;
  expect(peak).toMatchObject({ visits: { value: 1 }, busiest: { hour: 9, visits: { value: 1 } } }); // plain-words: visits is a field of the API
});

test.each(['from=2026-02-30', 'from=2026-02-02&to=2026-02-01', 'from=2020-01-01&to=2026-01-01', 'to=soon'])('%s is not a valid period', async (query) => {
  const clinic = await newClinic(api, { plan: 'pro' });
  for (const path of ['dashboard', 'dashboard.svg', 'dashboard.pdf', 'peak-hours', 'records']) {
    const { body } = await expectStatus(400, api.get(`/api/analytics/${path}?${query}`, clinic));
    expect(body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: query.startsWith('from=2026-02-30') ? 'from' : 'to' }] });
  }
});

test.each([
  ['basic', 403],
  ['pro', 200],
  ['clinica', 200],
  ['trial', 200],
  ['forever_free', 200],
])('the plan %s gets %i', async (plan, status) => {
  const clinic = await newClinic(api, { plan });
  for (const path of ['dashboard', 'dashboard.svg', 'dashboard.pdf', 'peak-hours', 'records']) {
    const { body } = await expectStatus(status, api.get(`/api/analytics/${path}`, clinic));
    if (status === 403) expect(body.code).toBe('PLAN_UPGRADE_REQUIRED');
  }
});
