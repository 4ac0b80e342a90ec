// Saving a record without a change adds no audit entry, revision or event, and a repeated request has no second effect.
import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { PatientsMergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { onPatientsMerged } from '../patient-merges/consumers.ts';
import { type Dental, MONDAY, startDental, TODAY } from './dental-service.ts';

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

describe('a request that is repeated with its key gets the first response, even if it would be refused now', () => {
  type Context = { clinicId: string; patient: ReturnType<Dental['patient']>; planId: string };
  const merge = ({ clinicId, patient }: Context) => {
    patient.isMerged = true;
    const event = create(PatientsMergedSchema, { mergeId: randomUUID(), keptId: s.patient(clinicId).id, mergedId: patient.id });
    return deliver(s.service.db, onPatientsMerged(s), clinicId, event);
  };
  const sites = ['MV', 'V', 'DV', 'ML', 'L', 'DL'].map((site) => ({ site, depth: 2 }));
  const caries = { tooth: 16, finding: 'caries', surfaces: ['O'], status: 'existing' };
  type Row = [name: string, send: (context: Context, user: ReturnType<Dental['asUser']>) => Promise<unknown>, change: (context: Context) => unknown];

  test.each<Row>([
    ['a treatment plan', ({ patient }, user) => s.treatments.createTreatmentPlan({ patientId: patient.id, title: 'Plan' }, user), merge],
    ['a generated plan', ({ patient }, user) => s.treatments.generateTreatmentPlan({ patientId: patient.id }, user), merge],
    ['a payment plan', ({ patient }, user) => s.payments.createPaymentPlan({ patientId: patient.id, description: 'Pago', totalAmount: 10_000n }, user), merge],
    ['a chart entry', ({ patient }, user) => s.charts.addChartEntry({ patientId: patient.id, ...caries, tooth: 17 }, user), merge],
    ['a periodontal exam', ({ patient }, user) => s.periodontics.addPeriodontalExam({ patientId: patient.id, teeth: [{ tooth: 16, sites }] }, user), merge],
    [
      'a recall campaign',
      (_context, user) => s.recall.createRecallCampaign({ name: 'Limpieza', messageTemplate: 'Hola {nombre}', sendTime: '12:00:00' }, user),
      () => Object.assign(s.quietHours, { quietFrom: '11:00', quietUntil: '13:00' }),
    ],
    ['a quote', ({ planId }, user) => s.treatments.createQuote({ id: planId, validUntil: TODAY }, user), () => s.clock.advance(20 * 3_600_000)],
  ])('%s', async (_name, send, change) => {
    s.clock.set(MONDAY);
    const clinicId = randomUUID();
    const patient = s.patient(clinicId);
    const user = s.asUser(clinicId);
    await s.charts.addChartEntry({ patientId: patient.id, ...caries }, user);
    const { id: planId } = await s.treatments.createTreatmentPlan({ patientId: patient.id, title: 'Corona' }, user);
    await s.treatments.addTreatmentStep({ id: planId, procedure: 'Corona', estimatedCost: 5_000n }, user);
    const context = { clinicId, patient, planId };
    const quietHours = { ...s.quietHours };
    const first = await send(context, s.asUser(clinicId, { key: 'k' }));
    await change(context);
    try {
      await expect(send(context, user)).rejects.toThrow();
      expect(await send(context, s.asUser(clinicId, { key: 'k' }))).toEqual(first);
    } finally {
      Object.assign(s.quietHours, quietHours);
    }
  });
});
