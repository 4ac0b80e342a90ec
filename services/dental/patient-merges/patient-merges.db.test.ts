// Dental records follow a merge of patients and its undo, in whichever order the events arrive.
import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { asSystem } from '@clinic/lib/db/db.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { orders } from '@clinic/lib/testing/orders.ts';
import { PatientsMergedSchema, PatientsUnmergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { v7 } from 'uuid';
import { type Dental, startDental } from '../testing/dental-service.ts';
import { onPatientsMerged, onPatientsUnmerged } from './consumers.ts';
import { followAllMerges } from './follow-merges.ts';

type Patient = { id: string };
type Merge = { mergeId: string; keptId: string; mergedId: string };

let s: Dental;
let clinicId: string;
let keep: Patient;
let other: Patient;
let event: Merge;
beforeAll(async () => {
  s = await startDental();
});
afterAll(() => s.stop());
beforeEach(() => {
  clinicId = randomUUID();
  [keep, other] = [s.patient(clinicId), s.patient(clinicId)];
  event = into(keep, other);
});

const me = () => s.asUser(clinicId);
const into = (retained: Patient, merged: Patient): Merge => ({ mergeId: v7(), keptId: retained.id, mergedId: merged.id });
const merge = (one = event) => deliver(s.service.db, onPatientsMerged(s), clinicId, create(PatientsMergedSchema, one));
const undo = (one = event) => deliver(s.service.db, onPatientsUnmerged(s), clinicId, create(PatientsUnmergedSchema, one));
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
const idsIn = (table: string) => async (patient: Patient) =>
  (await s.owner.query(`select id from dental.${table} where clinic_id = $1 and patient_id = $2`, [clinicId, patient.id])).rows.map(({ id }) => id);
const plansOf = idsIn('treatment_plans');
const paymentsOf = idsIn('payment_plans');

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

test('lists by the id of a merged record are those of the remaining patient', async () => {
  const plan = await s.treatments.createTreatmentPlan({ patientId: other.id, title: 'Plan' }, me());
  const payment = await s.payments.createPaymentPlan({ patientId: other.id, description: 'Pago', totalAmount: 10_000n }, me());
  await merge();
  for (const [patientId, found] of [
    [keep.id, [plan.id, payment.id]],
    [other.id, [plan.id, payment.id]],
    [v7(), []],
  ] as const) {
    const lists = [await s.treatments.listTreatmentPlans({ patientId }, me()), await s.payments.listPaymentPlans({ patientId }, me())];
    expect(lists.flatMap(({ plans }) => plans.map(({ id }) => id))).toEqual(found);
  }
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

describe('merges of several patients', () => {
  const addPlan = async (patient: Patient) => (await s.treatments.createTreatmentPlan({ patientId: patient.id, title: 'Plan' }, me())).id;
  const owners = async () =>
    Object.fromEntries(
      (await s.owner.query('select id, patient_id from dental.treatment_plans where clinic_id = $1', [clinicId])).rows.map(({ id, patient_id }) => [
        id,
        patient_id,
      ]),
    );

  test('that are handled in the wrong order move records to the last patient, and their undos move exactly these back', async () => {
    const last = s.patient(clinicId);
    const [first, second] = [into(keep, other), into(last, keep)];
    await chart(other, 21);
    await chart(keep, 11);
    const [ofOther, ofKeep] = [await addPlan(other), await addPlan(keep)];
    await merge(second);
    await merge(first);
    expect(await entries(last)).toEqual([
      [1, 21],
      [2, 11],
    ]);
    expect(await owners()).toEqual({ [ofOther]: last.id, [ofKeep]: last.id });
    await undo(first); // its event arrives before that of the second merge, which was undone first
    await undo(second);
    expect([await entries(other), await entries(keep), await entries(last)]).toEqual([[[1, 21]], [[1, 11]], []]);
    expect(await owners()).toEqual({ [ofOther]: other.id, [ofKeep]: keep.id });
  });

  test('of two patients into each other, each undone, leave every record where it was, in whichever order their events are handled', async () => {
    for (const order of orders([0, 1, 2, 3])) {
      clinicId = randomUUID();
      const [one, two] = [s.patient(clinicId), s.patient(clinicId)];
      const expected = { [await addPlan(one)]: one.id, [await addPlan(two)]: two.id };
      await chart(one, 11);
      await chart(two, 21);
      const [first, second] = [into(one, two), into(two, one)];
      const handlers = [() => merge(first), () => undo(first), () => merge(second), () => undo(second)];
      for (const index of order) await handlers[index]?.();
      expect([await owners(), await entries(one), await entries(two)]).toEqual([expected, [[1, 11]], [[1, 21]]]);
    }
  });

  test('and their undos end the same in whichever order their events are handled, also concurrently', async () => {
    const step = fc.record({ from: fc.nat(3), to: fc.nat(3), undo: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), fc.infiniteStream(fc.nat(1_000)), fc.boolean(), async (steps, random, together) => {
        clinicId = randomUUID();
        const patients = Array.from({ length: 4 }, () => s.patient(clinicId));
        const expected = new Map<string, string>();
        for (const patient of patients) expected.set(await addPlan(patient), patient.id);
        // What scheduling allows: merged patients take part in no other merge, and merges are undone in reverse order.
        const done: (Merge & { moved: string[] })[] = [];
        const handled: (() => Promise<number>)[] = [];
        for (const { from, to, undo: isUndo } of steps) {
          const last = done.at(-1);
          const [merged, retained] = [patients[from] as Patient, patients[to] as Patient];
          if (isUndo && last) {
            done.pop();
            for (const id of last.moved) expected.set(id, last.mergedId);
            handled.push(() => undo(last));
          } else if (merged !== retained && !done.some(({ mergedId }) => mergedId === merged.id || mergedId === retained.id)) {
            const moved = [...expected].flatMap(([id, owner]) => (owner === merged.id ? [id] : []));
            for (const id of moved) expected.set(id, retained.id);
            const one = { ...into(retained, merged), moved };
            done.push(one);
            handled.push(() => merge(one));
          }
        }
        const order = handled.map((handle) => ({ handle, at: random.next().value as number })).toSorted((a, b) => a.at - b.at);
        if (together) await Promise.all(order.map(({ handle }) => handle()));
        else for (const { handle } of order) await handle();
        expect(await owners()).toEqual(Object.fromEntries(expected));
      }),
      { numRuns: 60 },
    );
  });
});

const addCampaign = async () => {
  const campaign = randomUUID();
  await s.owner.query(
    `insert into dental.recall_campaigns (clinic_id, id, name, recall_interval_days, message_template, send_time, max_attempts, retry_interval_days, is_active,
      created_at, updated_at) values ($1, $2, '', 180, '', '09:00', 1, 1, true, now(), now())`,
    [clinicId, campaign],
  );
  return campaign;
};
const addContact = (campaign: string, { id }: Patient, failure: string) =>
  s.owner.query(
    `insert into dental.recall_contacts (clinic_id, id, campaign_id, patient_id, day, last_visit, attempt, due_at, status, failure, created_at, updated_at)
    values ($1, $2, $3, $4, '2026-06-02', '2025-06-02', 1, now(), 'failed', $5, now(), now())`,
    [clinicId, randomUUID(), campaign, id, failure],
  );

test('a merge does not wait for recall contacts of patients whom no merge connects with it', async () => {
  await addContact(await addCampaign(), other, '');
  await merge();
  await s.owner.query('begin');
  await s.owner.query('select from dental.recall_contacts where clinic_id = $1 for update', [clinicId]);
  await merge(into(s.patient(clinicId), s.patient(clinicId)));
  await s.owner.query('rollback');
});

describe('of recall contacts of one day, in whichever order the events are handled,', () => {
  const [first, second, last] = [{ id: randomUUID() }, { id: randomUUID() }, { id: randomUUID() }];
  const [one, sibling, other, again, opposite] = [into(second, first), into(last, first), into(last, second), into(second, first), into(first, second)];
  const done = (made: Merge) => () => merge(made);
  const undone = (made: Merge) => () => undo(made);
  test.each([
    ['each returns to its own patient', [done(one), done(other), undone(other), undone(one)], { first: first.id, second: second.id }],
    ['each returns to its own patient before another merge', [done(other), undone(other), done(again)], { first: first.id, second: second.id }],
    ['that of the remaining patient stays', [done(one), done(other)], { first: first.id, second: last.id }],
    ['that of the first merge moves if the remaining patient has none', [done(sibling), done(other)], { first: last.id, second: second.id }],
    ['those of patients who were merged into each other return', [done(one), undone(one), done(opposite)], { first: first.id, second: second.id }],
  ])('%s', async (_name, events, expected) => {
    for (const order of orders(events)) {
      clinicId = randomUUID();
      const campaign = await addCampaign();
      for (const [failure, patient] of Object.entries({ first, second })) await addContact(campaign, patient, failure);
      for (const event of order) {
        await event();
        await followAllMerges(s.app);
      }
      const { rows } = await s.owner.query('select failure, patient_id from dental.recall_contacts where clinic_id = $1', [clinicId]);
      expect(Object.fromEntries(rows.map(({ failure, patient_id }) => [failure, patient_id]))).toEqual(expected);
    }
  });
});

test('records that are added to the merged patient while the merge is handled, or later, are moved by the job, and back by the undo', async () => {
  const adding = Array.from({ length: 12 }, (_, index) => [
    s.treatments.createTreatmentPlan({ patientId: other.id, title: `Plan ${index}` }, me()),
    s.payments.createPaymentPlan({ patientId: other.id, description: 'Pago', totalAmount: 10_000n }, me()),
    s.charts.addChartEntry({ patientId: other.id, tooth: 11 + (index % 8), finding: 'caries', surfaces: ['M'], status: 'existing' }, me()),
  ]).flat();
  await Promise.all([...adding, merge()]);
  await chart(other, 48);
  const counts = async (patient: Patient) => [(await plansOf(patient)).length, (await paymentsOf(patient)).length, (await entries(patient)).length];
  await followAllMerges(s.app);
  expect([await counts(keep), await counts(other)]).toEqual([
    [12, 12, 13],
    [0, 0, 0],
  ]);
  await undo();
  await followAllMerges(s.app);
  expect([await counts(keep), await counts(other)]).toEqual([
    [0, 0, 0],
    [12, 12, 13],
  ]);
});

test('a patient whose records cannot be moved does not delay the others', async () => {
  const patients = Array.from({ length: 3 }, () => s.patient(clinicId));
  for (const patient of patients) await merge(into(keep, patient));
  for (const patient of patients) await chart(patient, 11);
  const fails = `when (old.patient_id = '${patients[1]?.id}') execute function fail_move()`;
  await s.owner.query(`create function fail_move() returns trigger language plpgsql as $$ begin raise exception 'test'; end $$`);
  await s.owner.query(`create trigger fail_move before update on chart_entries for each row ${fails}`);
  await followAllMerges(s.app);
  await s.owner.query('drop trigger fail_move on chart_entries');
  expect((await entries(keep)).length).toBe(2);
  await followAllMerges(s.app);
  expect((await entries(keep)).length).toBe(3);
});
