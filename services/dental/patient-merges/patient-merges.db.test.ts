// Dental records follow a merge of patients and its undo, in whichever order the events arrive.
import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { asSystem } from '@clinic/lib/db/db.ts';
import { PatientsMergedSchema, PatientsUnmergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Dental, startDental } from '../testing/dental-service.ts';
import { onPatientsMerged, onPatientsUnmerged } from './consumers.ts';

type Patient = { id: string };

let s: Dental;
let clinicId: string;
let keep: Patient;
let other: Patient;
let event: { mergeId: string; keptId: string; mergedId: string };
beforeAll(async () => {
  s = await startDental();
});
afterAll(() => s.stop());
beforeEach(() => {
  clinicId = randomUUID();
  [keep, other] = [s.patient(clinicId), s.patient(clinicId)];
  event = { mergeId: randomUUID(), keptId: keep.id, mergedId: other.id };
});

const me = () => s.asUser(clinicId);
const envelope = () => ({ id: randomUUID(), clinicId, subject: '' });
const merge = () => asSystem(s.service.db, (tx) => onPatientsMerged(s).handle(tx, create(PatientsMergedSchema, event), envelope()));
const undo = () => asSystem(s.service.db, (tx) => onPatientsUnmerged(s).handle(tx, create(PatientsUnmergedSchema, event), envelope()));
const chart = async (patient: Patient, tooth: number) => {
  s.clock.advance(1_000);
  await s.charts.addChartEntry({ patientId: patient.id, tooth, finding: 'caries', surfaces: ['M'], status: 'existing' }, me());
};
const entries = async (patient: Patient) =>
  (
    await s.owner.query('select number, teeth[1]::int as tooth from dental.chart_entries where clinic_id = $1 and patient_id = $2 order by number', [
      clinicId,
      patient.id,
    ])
  ).rows.map(({ number, tooth }: { number: number; tooth: number }) => [number, tooth]);
const plansOf = async (patient: Patient) => (await s.treatments.listTreatmentPlans({ patientId: patient.id }, me())).plans.map(({ id }) => id);
const paymentsOf = async (patient: Patient) => (await s.payments.listPaymentPlans({ patientId: patient.id }, me())).plans.map(({ id }) => id);

test('a merge moves all records and orders charts by time; an undo does not move records created since then', async () => {
  await chart(keep, 11);
  await chart(other, 21);
  await chart(keep, 12);
  await chart(other, 22);
  const plan = await s.treatments.createTreatmentPlan({ patientId: other.id, title: 'Plan' }, me());
  const payment = await s.payments.createPaymentPlan({ patientId: other.id, description: 'Pago', totalAmount: 10_000n }, me());

  await merge();
  await merge();
  expect([await entries(keep), await entries(other)]).toEqual([
    [
      [1, 11],
      [2, 21],
      [3, 12],
      [4, 22],
    ],
    [],
  ]);
  expect([await plansOf(keep), await paymentsOf(keep), await plansOf(other)]).toEqual([[plan.id], [payment.id], []]);
  await chart(keep, 13);
  const later = await s.treatments.createTreatmentPlan({ patientId: keep.id, title: 'Otro' }, me());

  await undo();
  await undo();
  expect([await entries(keep), await entries(other)]).toEqual([
    [
      [1, 11],
      [2, 12],
      [3, 13],
    ],
    [
      [1, 21],
      [2, 22],
    ],
  ]);
  await chart(other, 23);
  expect((await entries(other)).at(-1)).toEqual([3, 23]);
  expect([await plansOf(keep), await paymentsOf(other), await plansOf(other)]).toEqual([[later.id], [payment.id], [plan.id]]);
  const updates = (await s.events(clinicId))
    .filter(({ name }) => name === 'treatment-plan-updated')
    .map(({ payload }) => [payload.treatmentPlanId, payload.patientId]);
  expect(updates).toEqual(
    expect.arrayContaining([
      [plan.id, keep.id],
      [plan.id, other.id],
    ]),
  );
});

test('an undo moves a correction with the entry that it replaces', async () => {
  await chart(other, 21);
  await merge();
  const [first] = (await s.owner.query('select id from dental.chart_entries where clinic_id = $1', [clinicId])).rows;
  await s.charts.voidChartEntry({ patientId: keep.id, entryId: first.id }, me());
  await undo();
  expect([(await entries(keep)).length, (await entries(other)).length]).toEqual([0, 2]);
});

test('an undo that arrives before its merge changes nothing', async () => {
  await chart(other, 21);
  await undo();
  await merge();
  expect([(await entries(keep)).length, (await entries(other)).length]).toEqual([0, 1]);
});

test('chart entries cannot be updated', async () => {
  await chart(other, 21);
  await expect(asSystem(s.service.db, (tx) => tx.client.query(`update chart_entries set finding = 'x'`))).rejects.toMatchObject({ code: '42501' });
});
