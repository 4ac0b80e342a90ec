// From a chart to a treatment plan, a signed quote, an appointment and the last payment, through the public API.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus, freshKey } from './api.ts';
import { addDoctor, addPatient, book, booking, type Clinic, freshPhone, inDays, newClinic } from './clinic.ts';

const api = apiAt(publicApi());
let clinic: Clinic;
let patient: Body;
beforeAll(async () => {
  clinic = await newClinic(api);
  patient = await addPatient(api, clinic);
});

const dental = (path: string) => `/api/dental${path}`;
const created = async (path: string, body?: Body, extra = {}) => (await expectStatus(201, api.post(dental(path), body, { ...clinic, ...extra }))).body;
const shown = async (path: string) => (await expectStatus(200, api.get(dental(path), clinic))).body;
const removed = (path: string, body?: Body) => api.send('DELETE', dental(path), body, clinic);

describe('treatment plans', () => {
  test('a plan with steps, with the field names of the specification', async () => {
    const plan = await created('/treatment-plans', { patient_id: patient.id, title: 'Rehabilitación', estimated_total: 850.5, notes: null });
    expect(plan).toMatchObject({ clinic_id: clinic.id, patient_id: patient.id, status: 'active', estimated_total: 850.5, notes: null });
    expect(plan).not.toHaveProperty('steps');
    for (const sent of [
      api.post(dental('/treatment-plans'), { ...plan, estimated_total: 0 }, clinic),
      api.patch(dental(`/treatment-plans/${plan.id}`), { estimated_total: 0 }, clinic),
    ])
      expect((await expectStatus(400, sent)).body.details).toMatchObject([{ path: 'estimated_total' }]);
    const first = await created(`/treatment-plans/${plan.id}/steps`, { procedure: 'Limpieza', estimated_cost: 35 });
    const second = await created(`/treatment-plans/${plan.id}/steps`, { procedure: 'Corona' });
    expect(first).toMatchObject({ treatment_plan_id: plan.id, status: 'pending', estimated_cost: 35, appointment_id: null, notes: null, step_order: 1 });
    expect(second).toMatchObject({ estimated_cost: null, step_order: 2 });
    expect((await expectStatus(200, removed(`/treatment-steps/${first.id}`))).body).toEqual({ ok: true });
    expect((await shown(`/treatment-plans/${plan.id}`)).steps).toMatchObject([{ id: second.id, step_order: 1 }]);
    expect((await shown(`/treatment-plans?patient_id=${patient.id}`)).plans.map((one: Body) => one.id)).toContain(plan.id);
    const cancelled = await expectStatus(200, removed(`/treatment-plans/${plan.id}`));
    expect(cancelled.body).toMatchObject({ id: plan.id, status: 'cancelled' });
  });

  test('a missing record has the error text of the specification', async () => {
    const nowhere = '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70';
    for (const id of [nowhere, 'no-uuid']) {
      expect((await api.get(dental(`/treatment-plans/${id}`), clinic)).body).toEqual({ error: 'Treatment plan not found', code: 'NOT_FOUND' });
      expect((await removed(`/treatment-steps/${id}`)).body).toEqual({ error: 'Treatment step not found', code: 'NOT_FOUND' });
      expect((await api.get(dental(`/payment-plans/${id}`), clinic)).body).toEqual({ error: 'Payment plan not found', code: 'NOT_FOUND' });
      expect((await removed(`/payments/${id}`, { reason: 'x' })).body).toEqual({ error: 'Payment not found or already voided', code: 'NOT_FOUND' });
    }
    expect((await api.post(dental('/treatment-plans'), { patient_id: nowhere, title: 'x' }, clinic)).status).toBe(404);
  });

  test('from the chart to a signed quote as PDF', async () => {
    const { id } = await addPatient(api, clinic);
    expect((await api.post(dental(`/treatment-plans/${id}/generate-plan`), undefined, clinic)).body.code).toBe('NOTHING_TO_TREAT');
    const priced = await expectStatus(200, api.put(dental('/prices'), { prices: [{ code: 'filling_resin', price: 45.5 }] }, clinic));
    expect((await expectStatus(200, api.put(dental('/prices'), priced.body, clinic))).body).toEqual(priced.body);
    await created(`/charts/${id}/entries`, { tooth: 16, surfaces: ['O'], finding: 'caries', status: 'existing' });
    const plan = await created(`/treatment-plans/${id}/generate-plan`);
    expect(plan).toMatchObject({ estimated_total: 45.5, steps: [{ step_order: 1, tooth: 16, estimated_cost: 45.5, status: 'pending' }] });
    const quote = await created(`/treatment-plans/${plan.id}/quote`);
    expect(quote).toMatchObject({ number: 1, total: 45.5, status: 'open', acceptance: null });
    const accepted = await expectStatus(200, api.post(dental(`/treatment-plans/${plan.id}/quote/accept`), { name: 'Luis Pérez' }, clinic));
    expect(accepted.body).toMatchObject({ status: 'accepted', acceptance: { name: 'Luis Pérez', signed: false } });
    const pdf = await expectStatus(200, api.get(dental(`/treatment-plans/${plan.id}/estimate.pdf`), clinic));
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    expect(pdf.headers.get('content-disposition')).toContain('presupuesto-1.pdf');
    expect(pdf.text.startsWith('%PDF-')).toBe(true);
    const headers = { 'If-None-Match': pdf.headers.get('etag') ?? '' };
    const again = await api.get(dental(`/treatment-plans/${plan.id}/estimate.pdf`), { ...clinic, headers });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('a completed appointment completes its scheduled step', async () => {
    const doctor = await addDoctor(api, clinic);
    const appointment = await book(api, clinic, booking(doctor.id, '09:00', inDays(9)));
    const plan = await created('/treatment-plans', { patient_id: appointment.patient_id, title: 'Corona' });
    const step = await created(`/treatment-plans/${plan.id}/steps`, { procedure: 'Corona', appointment_id: appointment.id });
    expect(step).toMatchObject({ status: 'scheduled', appointment_id: appointment.id });
    const other = await created('/treatment-plans', { patient_id: patient.id, title: 'x' });
    expect((await api.post(dental(`/treatment-plans/${other.id}/steps`), { procedure: 'x', appointment_id: appointment.id }, clinic)).status).toBe(404);
    await expectStatus(200, api.patch(`/api/appointments/${appointment.id}/status`, { status: 'completed' }, clinic));
    await waitFor(async () => (await shown(`/treatment-plans/${plan.id}`)).steps[0].status === 'completed');
  });
});

test('records of a person who asked for an appointment online follow to the patient whom the desk confirms', async () => {
  const own = await newClinic(api);
  await expectStatus(200, api.patch('/api/clinics/features', { features: { online_booking: true } }, own));
  await addDoctor(api, own, { onlineBookable: true });
  const type = { name: 'Limpieza', durationMinutes: 30, color: '#112233', onlineBookable: true };
  const { id: typeId } = (await expectStatus(201, api.post('/api/appointment-types', type, own))).body;
  const { slug } = (await expectStatus(200, api.get('/api/clinics/settings', own))).body;
  const request = { typeId, date: inDays(9), startTime: '09:00', name: 'Rosa Díaz', phone: freshPhone() };
  await waitFor(async () => expectStatus(202, api.post(`/api/public/clinics/${slug}/bookings`, request)));
  const [{ id, patient_id }] = (await expectStatus(200, api.get('/api/appointments?status=pending', own))).body.appointments;
  const finding = { tooth: 16, finding: 'caries', status: 'existing' };
  await expectStatus(201, api.post(dental(`/charts/${patient_id}/entries`), finding, own));
  const plan = { patient_id, description: 'Corona', total_amount: 80 };
  await expectStatus(201, api.post(dental('/payment-plans'), plan, own));
  const { body } = await expectStatus(200, api.patch(`/api/appointments/${id}/status`, { status: 'completed' }, own));
  expect(body.patient_id).not.toBe(patient_id);
  await waitFor(async () => {
    expect((await api.get(`/api/patients/${body.patient_id}/balance`, own)).body.owed).toBe(80);
    expect((await api.get(dental(`/charts/${body.patient_id}/current`), own)).body.teeth).toMatchObject([{ tooth: 16 }]);
  });
});

describe('payment plans', () => {
  test('paid to the last cent, voided, printed', async () => {
    const plan = await created('/payment-plans', { patient_id: patient.id, description: 'Ortodoncia', total_amount: 100.1, installments: 3 });
    expect(plan).toMatchObject({
      total_amount: 100.1,
      amount_paid: 0,
      status: 'active',
      reminder_enabled: false,
      reminder_day_of_month: null,
      treatment_plan_id: null,
    });
    expect(plan.installments.map((one: Body) => one.amount)).toEqual([33.36, 33.36, 33.38]);
    const key = freshKey();
    const pay = (amount: number, headers = {}) =>
      api.post(dental(`/payment-plans/${plan.id}/payments`), { amount, payment_method: 'card' }, { ...clinic, headers });
    expect((await expectStatus(201, pay(0.1, key))).body.amount_paid).toBe(0.1);
    expect((await expectStatus(201, pay(0.1, key))).body.amount_paid).toBe(0.1);
    expect((await pay(0.2, key)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await pay(100.01)).body).toMatchObject({ code: 'AMOUNT_EXCEEDS_BALANCE' });
    for (const bad of [0, -1, 0.001, '5', null, 1e12]) expect((await pay(bad as number)).status).toBe(400);
    expect((await expectStatus(201, pay(100))).body).toMatchObject({ amount_paid: 100.1, status: 'paid' });
    const { payments } = await shown(`/payment-plans/${plan.id}`);
    const voided = await expectStatus(200, removed(`/payments/${payments[1].id}`, { reason: 'Cobrado dos veces' }));
    expect(voided.body).toMatchObject({ id: payments[1].id, amount: 100, void_reason: 'Cobrado dos veces' });
    expect(await shown(`/payment-plans/${plan.id}`)).toMatchObject({ amount_paid: 0.1, status: 'active', payments: [{ amount: 0.1 }] });
    expect((await removed(`/payments/${payments[1].id}`, { reason: 'x' })).status).toBe(404);
    expect((await removed(`/payments/${payments[0].id}`, {})).status).toBe(400);
    const receipt = await expectStatus(200, api.get(dental(`/payments/${payments[0].id}/receipt.pdf`), clinic));
    expect([receipt.headers.get('content-type'), receipt.text.slice(0, 5)]).toEqual(['application/pdf', '%PDF-']);
  });

  test('`summary` is not read as an id, and lists contain no payments', async () => {
    const own = await newClinic(api);
    const someone = await addPatient(api, own);
    const body = { patient_id: someone.id, description: 'Implante', total_amount: 500 };
    const { id } = (await expectStatus(201, api.post(dental('/payment-plans'), body, own))).body;
    await expectStatus(201, api.post(dental(`/payment-plans/${id}/payments`), { amount: 120.25 }, own));
    const summary = (await expectStatus(200, api.get(dental('/payment-plans/summary'), own))).body;
    expect(summary).toMatchObject({ total_collected: 120.25, total_pending: 379.75, active_count: 1 });
    const { plans } = (await expectStatus(200, api.get(dental('/payment-plans'), own))).body;
    expect(plans).toMatchObject([{ id, amount_paid: 120.25 }]);
    expect(plans[0]).not.toHaveProperty('payments');
    expect((await expectStatus(200, api.get(dental(`/payment-plans?patient_id=${patient.id}`), own))).body.plans).toEqual([]);
  });
});

describe('the feature checks', () => {
  const paths = ['/treatment-plans', '/prices', '/payment-plans', '/payment-plans/summary'];

  test('a plan without dental, then a clinic that is not dental', async () => {
    const basic = await newClinic(api, { plan: 'basic', registration: { clinicType: 'medical' } });
    const medical = await newClinic(api, { registration: { clinicType: 'medical' } });
    for (const path of paths) {
      expect((await api.get(dental(path), basic)).body).toMatchObject({ code: 'PLAN_UPGRADE_REQUIRED' });
      expect((await api.get(dental(path), medical)).body).toMatchObject({ code: 'DENTAL_CLINIC_REQUIRED' });
    }
  });
});
