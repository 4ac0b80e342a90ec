// Treatment plans on a real database: step numbers without gaps under concurrency, options, totals, isolation of clinics.
import { randomUUID } from 'node:crypto';
import { AuditService } from '@clinic/proto/common/v1/audit_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Dental, outcomes, startDental } from '../testing/dental-service.ts';

let s: Dental;
let clinicId: string;
let patient: { id: string };
beforeAll(async () => {
  s = await startDental();
});
afterAll(() => s.stop());
beforeEach(() => {
  clinicId = randomUUID();
  patient = s.patient(clinicId);
});

const me = (key?: string) => s.asUser(clinicId, key ? { key } : {});
const open = (fields: object = {}) => s.treatments.createTreatmentPlan({ patientId: patient.id, title: 'Rehabilitación', ...fields }, me());
const step = (id: string, fields: object = {}) => s.treatments.addTreatmentStep({ id, procedure: 'Corona', ...fields }, me());
const read = (id: string) => s.treatments.getTreatmentPlan({ id }, me());
const audited = async (action: string) =>
  (await s.service.client(AuditService).listAuditEntries({ action, limit: 10 }, s.asAdmin(clinicId))).entries.map(({ entityId, changes }) => ({
    entityId,
    changes: JSON.parse(changes || '{}'),
  }));
const orders = async (id: string) => (await read(id)).steps.map(({ stepOrder }) => stepOrder);

describe('plans', () => {
  test('can be created, read, listed, changed and cancelled', async () => {
    const plan = await open({ notes: 'dos visitas' });
    expect(plan).toMatchObject({ clinicId, patientId: patient.id, title: 'Rehabilitación', status: 'active', estimatedTotal: 0n, notes: 'dos visitas' });
    expect(await read(plan.id)).toMatchObject({ id: plan.id, steps: [], options: [{ isChosen: true, name: 'Opción 1' }] });
    const { plans, total } = await s.treatments.listTreatmentPlans({ patientId: patient.id }, me());
    expect([plans.map(({ id }) => id), total]).toEqual([[plan.id], 1]);
    const changed = await s.treatments.updateTreatmentPlan({ id: plan.id, title: 'Otra', status: 'paused', notes: '' }, me());
    expect(changed).toMatchObject({ title: 'Otra', status: 'paused' });
    expect(changed.notes).toBeUndefined();
    expect(await s.treatments.cancelTreatmentPlan({ id: plan.id }, me())).toMatchObject({ status: 'cancelled', title: 'Otra' });
    expect((await s.events(clinicId)).map(({ name, payload }) => [name, payload.status, payload.revision])).toEqual([
      ['treatment-plan-updated', 'active', 1],
      ['treatment-plan-updated', 'paused', 2],
      ['treatment-plan-updated', 'cancelled', 3],
    ]);
  });

  test('the total is the one set by a user, otherwise the sum of the steps that are not skipped', async () => {
    const [given, summed] = [await open({ estimatedTotal: 85_000n }), await open()];
    for (const plan of [given, summed]) await step(plan.id, { estimatedCost: 10_050n });
    const skipped = await step(summed.id, { estimatedCost: 99_999n });
    await s.treatments.updateTreatmentStep({ id: skipped.id, status: 'skipped' }, me());
    expect([(await read(given.id)).estimatedTotal, (await read(summed.id)).estimatedTotal]).toEqual([85_000n, 10_050n]);
  });

  test('a plan that is sent back with the sum of its steps has no total of its own', async () => {
    const { id } = await open();
    const NOTHING = -100n; // the gateway sends this for 0
    const update = async (estimatedTotal: bigint) => (await s.treatments.updateTreatmentPlan({ id, title: 'Otra', estimatedTotal }, me())).estimatedTotal;
    expect(await update(NOTHING)).toBe(0n);
    await step(id, { estimatedCost: 10_000n });
    expect(await update(10_000n)).toBe(10_000n);
    await step(id, { estimatedCost: 20_000n });
    expect((await read(id)).estimatedTotal).toBe(30_000n);
    expect((await s.treatments.createQuote({ id }, me())).total).toBe(30_000n);
    await expect(update(NOTHING)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'estimated_total' }] });
    expect([await update(25_000n), await update(25_000n), await update(30_000n), await update(0n)]).toEqual([25_000n, 25_000n, 30_000n, 30_000n]);
    await step(id, { estimatedCost: 5_000n });
    expect((await read(id)).estimatedTotal).toBe(35_000n);
  });

  test('a patient or plan of another clinic is not found, and a list is empty', async () => {
    const plan = await open();
    const { id: stepId } = await step(plan.id);
    const other = s.asUser(randomUUID());
    await expect(s.treatments.createTreatmentPlan({ patientId: patient.id, title: 'x' }, other)).rejects.toMatchObject({ message: 'Patient not found' });
    for (const id of [plan.id, randomUUID(), 'no-uuid']) {
      for (const call of [() => s.treatments.getTreatmentPlan({ id }, other), () => s.treatments.updateTreatmentPlan({ id, title: 'x' }, other)]) {
        await expect(call()).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Treatment plan not found' });
      }
      await expect(s.treatments.cancelTreatmentPlan({ id }, other)).rejects.toMatchObject({ message: 'Treatment plan not found' });
      await expect(s.treatments.addTreatmentStep({ id, procedure: 'x' }, other)).rejects.toMatchObject({ message: 'Treatment plan not found' });
      await expect(s.treatments.createQuote({ id }, other)).rejects.toMatchObject({ message: 'Treatment plan not found' });
      await expect(s.treatments.getEstimate({ id }, other)).rejects.toMatchObject({ message: 'Treatment plan not found' });
    }
    for (const id of [stepId, randomUUID(), 'no-uuid']) {
      await expect(s.treatments.updateTreatmentStep({ id, status: 'completed' }, other)).rejects.toMatchObject({ message: 'Treatment step not found' });
      await expect(s.treatments.deleteTreatmentStep({ id }, other)).rejects.toMatchObject({ message: 'Treatment step not found' });
    }
    expect((await s.treatments.listTreatmentPlans({ patientId: patient.id }, other)).plans).toEqual([]);
    expect(await orders(plan.id)).toEqual([1]);
  });

  test('repeated requests with the same key create one plan and one step', async () => {
    const request = { patientId: patient.id, title: 'Una vez' };
    const plans = await Promise.all(Array.from({ length: 8 }, () => s.treatments.createTreatmentPlan(request, me('k1'))));
    const id = plans[0]?.id ?? '';
    expect(new Set(plans.map((plan) => plan.id)).size).toBe(1);
    await Promise.all(Array.from({ length: 8 }, () => s.treatments.addTreatmentStep({ id, procedure: 'Corona' }, me('k2'))));
    expect(await orders(id)).toEqual([1]);
  });
});

describe('steps', () => {
  test('concurrent adds, deletes and moves leave the numbers 1 to n', async () => {
    const { id } = await open();
    const first = await Promise.all(Array.from({ length: 12 }, () => step(id)));
    expect(await orders(id)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    await Promise.all([
      ...first.slice(0, 6).map((one) => s.treatments.deleteTreatmentStep({ id: one.id }, me())),
      ...Array.from({ length: 6 }, () => step(id)),
      ...first.slice(6, 9).map((one, index) => s.treatments.updateTreatmentStep({ id: one.id, stepOrder: index + 1 }, me())),
    ]);
    expect(await orders(id)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });

  test('a step is deleted once', async () => {
    const { id } = await open();
    const { id: stepId } = await step(id);
    const calls = Array.from({ length: 6 }, () => s.treatments.deleteTreatmentStep({ id: stepId }, me()));
    expect(await outcomes(calls)).toEqual({ succeeded: 1, failed: 5, reasons: ['NOT_FOUND'] });
  });

  test('a change does not affect absent fields', async () => {
    const { id } = await open();
    const made = await step(id, { estimatedCost: 5_000n, notes: 'arriba' });
    expect(await s.treatments.updateTreatmentStep({ id: made.id, status: 'completed' }, me())).toMatchObject({
      status: 'completed',
      estimatedCost: 5_000n,
      notes: 'arriba',
      stepOrder: 1,
    });
    await expect(s.treatments.updateTreatmentStep({ id: made.id, status: 'done' }, me())).rejects.toMatchObject({ details: [{ path: 'status' }] });
    await expect(s.treatments.updateTreatmentStep({ id: made.id, estimatedCost: -1n }, me())).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  });

  test.each(['pending', 'scheduled', 'completed', 'skipped'])('each field of a %s step can be changed alone', async (status) => {
    const { id } = await open();
    const { id: stepId } = await step(id, { estimatedCost: 5_000n, notes: 'arriba' });
    await s.treatments.updateTreatmentStep({ id: stepId, status }, me());
    const appointment = s.appointment(clinicId, patient.id);
    const changes = [{ procedure: 'Puente' }, { estimatedCost: 7_550n }, { notes: 'abajo' }, { appointmentId: appointment.id }, { notes: 'otra vez' }];
    let stored = { procedure: 'Corona', estimatedCost: 5_000n, notes: 'arriba' };
    for (const change of changes) {
      stored = { ...stored, ...change };
      expect(await s.treatments.updateTreatmentStep({ id: stepId, ...change }, me())).toMatchObject(stored);
      expect((await read(id)).steps).toMatchObject([stored]);
    }
    await s.treatments.updateTreatmentStep({ id: stepId, appointmentId: '', procedure: 'Corona', estimatedCost: 0n, notes: '' }, me());
    const [last] = (await read(id)).steps;
    expect([last?.appointmentId, last?.procedure, last?.estimatedCost, last?.notes]).toEqual([undefined, 'Corona', undefined, undefined]);
  });
});

describe('options', () => {
  test('a copy starts with pending steps, and choosing it makes its steps those of the plan', async () => {
    const { id } = await open();
    const { id: stepId, optionId } = await step(id, { estimatedCost: 30_000n });
    await s.treatments.updateTreatmentStep({ id: stepId, status: 'completed' }, me());
    const { options } = await s.treatments.addTreatmentOption({ id, name: 'Con implante', copyFrom: optionId }, me());
    const other = options[1]?.id ?? '';
    expect(options.map((one) => [one.name, one.isChosen, one.steps.map(({ status }) => status)])).toEqual([
      ['Opción 1', true, ['completed']],
      ['Con implante', false, ['pending']],
    ]);
    await step(id, { procedure: 'Implante', estimatedCost: 90_000n, optionId: other });
    expect((await read(id)).estimatedTotal).toBe(30_000n);
    const chosen = await s.treatments.chooseTreatmentOption({ id, optionId: other }, me());
    expect([chosen.steps.map(({ procedure }) => procedure), chosen.estimatedTotal]).toEqual([['Corona', 'Implante'], 120_000n]);
    await expect(s.treatments.deleteTreatmentOption({ id, optionId: other }, me())).rejects.toMatchObject({ reason: 'OPTION_IS_CHOSEN' });
    expect((await s.treatments.deleteTreatmentOption({ id, optionId }, me())).options.map(({ name }) => name)).toEqual(['Con implante']);
    const [removed] = chosen.steps;
    await s.treatments.deleteTreatmentStep({ id: removed?.id ?? '' }, me());
    expect(await audited('treatment_option.deleted')).toEqual([{ entityId: optionId, changes: { treatment_plan_id: id } }]);
    expect(await audited('treatment_step.deleted')).toEqual([{ entityId: removed?.id, changes: { treatment_plan_id: id, option_id: other, step_order: 1 } }]);
  });

  test('choosing an option removes the total that was set for the option chosen before', async () => {
    const { id } = await open({ estimatedTotal: 85_000n });
    const { optionId } = await step(id, { estimatedCost: 90_000n });
    const { options } = await s.treatments.addTreatmentOption({ id, name: 'B' }, me());
    const other = options[1]?.id ?? '';
    await step(id, { estimatedCost: 60_000n, optionId: other });
    const totalOf = async (chosen: string) => (await s.treatments.chooseTreatmentOption({ id, optionId: chosen }, me())).estimatedTotal;
    expect([await totalOf(optionId), await totalOf(other), await totalOf(optionId)]).toEqual([85_000n, 60_000n, 90_000n]);
  });

  test('concurrent choices leave one option chosen', async () => {
    const { id } = await open();
    for (const name of ['B', 'C', 'D']) await s.treatments.addTreatmentOption({ id, name }, me());
    const { options } = await read(id);
    await Promise.all([...options, ...options].map((one) => s.treatments.chooseTreatmentOption({ id, optionId: one.id }, me())));
    expect((await read(id)).options.filter(({ isChosen }) => isChosen)).toHaveLength(1);
  });
});
