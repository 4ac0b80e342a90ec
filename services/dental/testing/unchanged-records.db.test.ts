// Saving a record without a change adds no audit entry, revision or event.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Dental, startDental } from './dental-service.ts';

let s: Dental;
beforeAll(async () => {
  s = await startDental();
});
afterAll(() => s.stop());

test('a plan, a step, a payment plan, a campaign, the price list and the settings of charts that are saved again as they are remain unchanged, also concurrently', async () => {
  const clinicId = randomUUID();
  const me = s.asUser(clinicId);
  const { id: patientId } = s.patient(clinicId);
  const plan = await s.treatments.createTreatmentPlan({ patientId, title: 'Corona', notes: 'nota', estimatedTotal: 5_000n }, me);
  const step = await s.treatments.addTreatmentStep({ id: plan.id, procedure: 'Corona', estimatedCost: 5_000n }, me);
  const payment = await s.payments.createPaymentPlan({ patientId, description: 'Pago', totalAmount: 10_000n, notes: 'nota' }, me);
  const campaign = await s.recall.createRecallCampaign({ name: 'Limpieza', messageTemplate: 'Hola {nombre}' }, s.asAdmin(clinicId));
  const prices = [{ code: 'crown', price: 25_000n }];
  const savePrices = () => s.prices.replacePrices({ prices }, s.asAdmin(clinicId));
  const saveSettings = () => s.charts.updateChartSettings({ chartColors: 'red_blue' }, s.asAdmin(clinicId));
  await Promise.all([savePrices(), saveSettings()]);
  const stored = async () => {
    const { rows } = await s.owner.query(
      `select (select count(*) from dental.audit_log where clinic_id = $1) as audits, (select count(*) from dental.outbox where clinic_id = $1) as events,
        (select json_agg(t) from dental.treatment_plans t where clinic_id = $1) as plans,
        (select json_agg(t) from dental.treatment_steps t where clinic_id = $1) as steps,
        (select json_agg(t) from dental.payment_plans t where clinic_id = $1) as payments,
        (select json_agg(t) from dental.recall_campaigns t where clinic_id = $1) as campaigns,
        (select json_agg(t) from dental.prices t where clinic_id = $1) as prices,
        (select json_agg(t) from dental.chart_settings t where clinic_id = $1) as settings`,
      [clinicId],
    );
    return rows[0];
  };
  const before = await stored();
  s.clock.advance(60_000);
  const saved = await Promise.all(
    Array.from({ length: 4 }, async () => [
      await s.treatments.updateTreatmentPlan({ id: plan.id, title: 'Corona', status: 'active', notes: 'nota', estimatedTotal: 5_000n }, me),
      await s.treatments.updateTreatmentStep({ id: step.id, procedure: 'Corona', estimatedCost: 5_000n, status: 'pending', stepOrder: 1 }, me),
      await s.treatments.updateTreatmentStep({ id: step.id, stepOrder: 50 }, me), // the last one already
      await s.treatments.chooseTreatmentOption({ id: plan.id, optionId: step.optionId }, me), // the chosen one already
      await s.payments.updatePaymentPlan({ id: payment.id, description: 'Pago', notes: 'nota', reminderEnabled: payment.reminderEnabled }, me),
      await s.recall.updateRecallCampaign({ id: campaign.id, name: 'Limpieza', messageTemplate: 'Hola {nombre}', isActive: true }, s.asAdmin(clinicId)),
    ]),
  );
  await Promise.all(Array.from({ length: 4 }, () => Promise.all([savePrices(), saveSettings()])));
  expect(await stored()).toEqual(before);
  for (const all of saved) expect(all.map(({ id }) => id)).toEqual([plan.id, step.id, step.id, plan.id, payment.id, campaign.id]);
  // Of several requests with the same change, one is recorded.
  await Promise.all(Array.from({ length: 4 }, () => s.treatments.cancelTreatmentPlan({ id: plan.id }, me)));
  await Promise.all(Array.from({ length: 4 }, () => s.payments.cancelPaymentPlan({ id: payment.id }, me)));
  const after = await stored();
  expect([Number(after.audits) - Number(before.audits), Number(after.events) - Number(before.events)]).toEqual([2, 2]);
});
