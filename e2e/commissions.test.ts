// From a rule and a treatment to the commission ledger, which receives payments and voids as events.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { apiAt } from './api.ts';
import { addDoctor, book, booking, newClinic, sdkOf } from './clinic.ts';

const api = apiAt(publicApi());

test('a payment earns a commission for the doctor of the appointment, and voiding it removes the commission', async () => {
  const clinic = await newClinic(api);
  const doctor = await addDoctor(api, clinic);
  const sdk = sdkOf(api, clinic);
  const rule = { path: { doctorId: doctor.id } };
  expect(await sdk.get('/api/doctors/{doctorId}/commission-rule', { params: rule })).toEqual({ doctor_id: doctor.id, type: null, value: null, since: null });
  const set = await sdk.put('/api/doctors/{doctorId}/commission-rule', { params: rule, body: { type: 'percentage', value: 12.5 } });
  expect(set).toEqual({ doctor_id: doctor.id, type: 'percentage', value: 12.5, since: expect.stringMatching(/Z$/) });

  const appointment = await book(api, clinic, booking(doctor.id, '09:00'));
  const { patient_id } = appointment;
  const plan = await sdk.post('/api/dental/treatment-plans', { body: { patient_id, title: 'Resinas' } });
  const step = { procedure: 'Resina', appointment_id: appointment.id };
  await sdk.post('/api/dental/treatment-plans/{id}/steps', { params: { path: { id: plan.id } }, body: step });
  const owed = { patient_id, description: 'Resinas', total_amount: 200, treatment_plan_id: plan.id };
  const payments = await sdk.post('/api/dental/payment-plans', { body: owed });
  const payment = { amount: 99.99, payment_method: 'cash' } as const;
  const paid = await sdk.post('/api/dental/payment-plans/{id}/payments', { params: { path: { id: payments.id } }, body: payment });

  const ledger = (query: { doctor_id?: string } = {}) => sdk.get('/api/commissions/ledger', { params: { query } });
  const one = await waitFor(async () => {
    const { entries } = await ledger();
    return entries.length === 1 && (entries[0] as (typeof entries)[number]);
  });
  const paymentId = paid.payments[0]?.id ?? '';
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
  await sdk.delete('/api/dental/payments/{id}', { params: { path: { id: paymentId } }, body: { reason: 'Por error' } });
  await waitFor(async () => (await ledger()).total === 2);
  const { entries, ...rest } = await ledger({ doctor_id: doctor.id });
  expect(entries.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['reversed', -12.5],
    ['earned', 12.5],
  ]);
  expect(rest).toEqual({ total_amount: 0, total: 2, page: 1, limit: 50 });
  const report = await sdk.get('/api/commissions/report', { params: { query: { month: one.date.slice(0, 7) } } });
  expect(report).toMatchObject({ payments: 1, earned: 12.5, reversed: 12.5, total_amount: 0, doctors: [{ doctor_id: doctor.id, payment_amount: 99.99 }] });
});

test('an invalid share is refused', async () => {
  const clinic = await newClinic(api);
  const sdk = sdkOf(api, clinic);
  const path = { doctorId: (await addDoctor(api, clinic)).id };
  const refused = (field: string) => ({ status: 400, details: expect.arrayContaining([expect.objectContaining({ path: field })]) });
  for (const [field, body] of [
    ['value', { type: 'percentage', value: 100.01 }],
    ['value', { type: 'fixed', value: -1 }],
    ['value', { type: 'fixed', value: 1.005 }],
    ['type', { type: 'half', value: 1 }],
    ['type', { value: 1 }],
  ] as const)
    await expect(sdk.put('/api/doctors/{doctorId}/commission-rule', { params: { path }, body: body as never })).rejects.toMatchObject(refused(field));
  await expect(sdk.get('/api/commissions/report', { params: { query: { month: '2026-13' } } })).rejects.toMatchObject(refused('month'));
  await expect(sdk.get('/api/commissions/ledger', { params: { query: { from: 'yesterday' } } })).rejects.toMatchObject(refused('from'));
});
