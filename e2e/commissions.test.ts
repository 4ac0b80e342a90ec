// From a rule and a treatment to the ledger: payments and voids find their way by events.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus } from './api.ts';
import { addDoctor, book, booking, newClinic } from './clinic.ts';

const api = apiAt(publicApi());

test('a payment earns a commission for the doctor of the appointment, and voiding it removes the commission', async () => {
  const clinic = await newClinic(api);
  const doctor = await addDoctor(api, clinic);
  const rule = `/api/doctors/${doctor.id}/commission-rule`;
  expect((await expectStatus(200, api.get(rule, clinic))).body).toEqual({ doctor_id: doctor.id, type: null, value: null, since: null });
  const set = await expectStatus(200, api.put(rule, { type: 'percentage', value: 12.5 }, clinic));
  expect(set.body).toEqual({ doctor_id: doctor.id, type: 'percentage', value: 12.5, since: expect.stringMatching(/Z$/) });

  const appointment = await book(api, clinic, booking(doctor.id, '09:00'));
  const { body: plan } = await expectStatus(201, api.post('/api/dental/treatment-plans', { patient_id: appointment.patient_id, title: 'Resinas' }, clinic));
  await expectStatus(201, api.post(`/api/dental/treatment-plans/${plan.id}/steps`, { procedure: 'Resina', appointment_id: appointment.id }, clinic));
  const owed = { patient_id: appointment.patient_id, description: 'Resinas', total_amount: 200, treatment_plan_id: plan.id };
  const { body: payments } = await expectStatus(201, api.post('/api/dental/payment-plans', owed, clinic));
  const paid = await expectStatus(201, api.post(`/api/dental/payment-plans/${payments.id}/payments`, { amount: 99.99, payment_method: 'cash' }, clinic));

  const ledger = async (query = ''): Promise<Body> => (await expectStatus(200, api.get(`/api/commissions/ledger${query}`, clinic))).body;
  const one = await waitFor(async () => {
    const { entries } = await ledger();
    return entries.length === 1 && entries[0];
  }, 30_000);
  const { id: paymentId } = paid.body.payments[0];
  expect(one).toMatchObject({
    doctor_id: doctor.id,
    doctor_name: doctor.full_name,
    kind: 'earned',
    payment_id: paymentId,
    payment_plan_id: payments.id,
    patient_id: appointment.patient_id,
    appointment_id: appointment.id,
    payment_amount: 99.99,
    rule_type: 'percentage',
    rule_value: 12.5,
    amount: 12.5,
  });
  await expectStatus(200, api.send('DELETE', `/api/dental/payments/${paymentId}`, { reason: 'Por error' }, clinic));
  await waitFor(async () => (await ledger()).total === 2, 30_000);
  const { entries, ...rest } = await ledger(`?doctor_id=${doctor.id}`);
  expect(entries.map(({ kind, amount }: Body) => [kind, amount])).toEqual([
    ['reversed', -12.5],
    ['earned', 12.5],
  ]);
  expect(rest).toEqual({ total_amount: 0, total: 2, page: 1, limit: 50 });
  const report = await expectStatus(200, api.get(`/api/commissions/report?month=${one.date.slice(0, 7)}`, clinic));
  expect(report.body).toMatchObject({ payments: 1, earned: 12.5, reversed: 12.5, total_amount: 0, doctors: [{ doctor_id: doctor.id, payment_amount: 99.99 }] });
}, 90_000);

test('what is no share is refused', async () => {
  const clinic = await newClinic(api);
  const doctor = await addDoctor(api, clinic);
  for (const body of [
    { type: 'percentage', value: 100.01 },
    { type: 'fixed', value: -1 },
    { type: 'fixed', value: 1.005 },
    { type: 'half', value: 1 },
    { value: 1 },
  ])
    await expectStatus(400, api.put(`/api/doctors/${doctor.id}/commission-rule`, body, clinic));
  await expectStatus(400, api.get('/api/commissions/report?month=2026-13', clinic));
  await expectStatus(400, api.get('/api/commissions/ledger?from=yesterday', clinic));
});
