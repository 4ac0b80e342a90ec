// Payment plans on a real database: concurrent payments, voids, instalments, receipt numbers without gaps, isolation of clinics.
import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { asService } from '@clinic/lib/testing/callers.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { textOfPdf } from '@clinic/lib/testing/pdf-text.ts';
import { LookupService } from '@clinic/proto/dental/v1/lookup_pb.js';
import { OpeningBalanceService } from '@clinic/proto/dental/v1/opening_balance_pb.js';
import { StateService } from '@clinic/proto/dental/v1/states_pb.js';
import { TimelineService } from '@clinic/proto/dental/v1/timeline_pb.js';
import { PatientsMergedSchema, PatientsUnmergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { v7 } from 'uuid';
import { onPatientsMerged, onPatientsUnmerged } from '../patient-merges/consumers.ts';
import { type Dental, MONDAY, outcomes, startDental } from '../testing/dental-service.ts';

let s: Dental;
let clinicId: string;
let patient: { id: string };
beforeAll(async () => {
  s = await startDental();
});
afterAll(() => s.stop());
beforeEach(() => {
  s.clock.set(MONDAY);
  clinicId = randomUUID();
  patient = s.patient(clinicId);
});

const me = (key?: string) => s.asUser(clinicId, key ? { key } : {});
const open = (fields: object = {}) =>
  s.payments.createPaymentPlan({ patientId: patient.id, description: 'Ortodoncia', totalAmount: 100_000n, ...fields }, me());
const pay = (id: string, amount: bigint, key?: string) => s.payments.recordPayment({ id, amount }, me(key));
const read = (id: string) => s.payments.getPaymentPlan({ id }, me());

test('an opening balance is added once, also by concurrent imports', async () => {
  const other = s.patient(clinicId);
  const service = s.service.client(OpeningBalanceService);
  const balances = [
    { patientId: patient.id, amount: 8_050n, dueDate: '2026-05-01' },
    { patientId: other.id, amount: 100n, description: 'Ortodoncia' },
  ];
  const send = async (request: object, key?: string) =>
    (await service.importOpeningBalances({ balances, ...request }, asService('scheduling', clinicId, key))).results;
  expect(await send({ dryRun: true })).toEqual(['created', 'created']);
  const results = await Promise.all([send({}, 'first'), send({})]);
  expect(results.flat().filter((result) => result === 'created')).toHaveLength(2);
  expect(await send({}, 'first')).toEqual(results[0]);
  expect(await send({ balances: [{ ...balances[0], amount: 8_051n }] })).toEqual(['differs']);
  expect(await send({ balances: [balances[1], balances[1]], dryRun: true })).toEqual(['unchanged', 'unchanged']);
  expect((await s.payments.listPaymentPlans({ limit: 9 }, me())).plans).toHaveLength(2);
  expect(await s.payments.getPatientBalance({ patientId: patient.id }, me())).toMatchObject({
    owed: 8_050n,
    overdue: 8_050n,
    plans: [{ description: 'Saldo inicial' }],
  });
  expect((await s.events(clinicId)).map(({ name }) => name)).toEqual(['payment-plan-updated', 'payment-plan-updated']);
  const [plan] = (await s.payments.listPaymentPlans({ patientId: other.id, limit: 9 }, me())).plans;
  expect(await pay(plan?.id ?? '', 100n)).toMatchObject({ status: 'paid', reminderEnabled: false });
  expect(await send({})).toEqual(['unchanged', 'unchanged']);
});

test('an opening balance that a merge has moved is not added again for the remaining patient', async () => {
  const service = s.service.client(OpeningBalanceService);
  const [last, other] = [s.patient(clinicId), s.patient(clinicId)];
  const send = async (balances: [{ id: string }, bigint][], dryRun = false) => {
    const request = { balances: balances.map(([{ id }, amount]) => ({ patientId: id, amount })), dryRun };
    return (await service.importOpeningBalances(request, asService('scheduling', clinicId))).results;
  };
  const into = (to: { id: string }, from: { id: string }) => ({ mergeId: v7(), keptId: to.id, mergedId: from.id });
  const merges = [into(other, patient), into(last, other)];
  await send([[patient, 8_500n]]);
  // Scheduling has merged the records, dental has not followed yet.
  const early = async (amount: bigint, dryRun: boolean) => {
    const request = { balances: [{ patientId: last.id, amount, mergedIds: [other.id, patient.id] }], dryRun };
    return (await service.importOpeningBalances(request, asService('scheduling', clinicId))).results;
  };
  for (const dryRun of [true, false]) expect(await Promise.all([early(8_500n, dryRun), early(4_000n, dryRun)])).toEqual([['unchanged'], ['differs']]);
  for (const merge of merges) await deliver(s.service.db, onPatientsMerged(s), clinicId, create(PatientsMergedSchema, merge));
  for (const dryRun of [true, false]) {
    expect(await send([[last, 8_500n]], dryRun)).toEqual(['unchanged']);
    expect(await send([[last, 4_000n]], dryRun)).toEqual(['differs']);
  }
  expect(await s.payments.getPatientBalance({ patientId: last.id }, me())).toMatchObject({ owed: 8_500n });

  // Each of two separate patients has one; after a merge, the remaining patient has both.
  for (const merge of merges.toReversed()) await deliver(s.service.db, onPatientsUnmerged(s), clinicId, create(PatientsUnmergedSchema, merge));
  expect(await Promise.all([send([[patient, 8_500n]]), send([[last, 4_000n]])])).toEqual([['unchanged'], ['created']]);
  await deliver(s.service.db, onPatientsMerged(s), clinicId, create(PatientsMergedSchema, into(last, patient)));
  expect(await send([8_500n, 4_000n, 1n].map((amount) => [last, amount]))).toEqual(['unchanged', 'unchanged', 'differs']);
  expect(await s.payments.getPatientBalance({ patientId: last.id }, me())).toMatchObject({ owed: 12_500n });
});

describe('payments', () => {
  test('are recorded until the plan is paid', async () => {
    const { id, status, amountPaid } = await open();
    expect([status, amountPaid]).toEqual(['active', 0n]);
    const half = await s.payments.recordPayment({ id, amount: 40_000n, paymentMethod: 'card', notes: 'a' }, me());
    expect(half).toMatchObject({ status: 'active', amountPaid: 40_000n, payments: [{ amount: 40_000n, paymentMethod: 'card', notes: 'a', receiptNumber: 1 }] });
    await expect(pay(id, 60_001n)).rejects.toMatchObject({ reason: 'AMOUNT_EXCEEDS_BALANCE' });
    expect(await pay(id, 60_000n)).toMatchObject({ status: 'paid', amountPaid: 100_000n });
    await expect(pay(id, 1n)).rejects.toMatchObject({ reason: 'AMOUNT_EXCEEDS_BALANCE' });
    expect((await s.events(clinicId)).map(({ name }) => name)).toEqual([
      'payment-plan-updated',
      'payment-recorded',
      'payment-plan-updated',
      'payment-recorded',
      'payment-plan-updated',
    ]);
  });

  test('30 concurrent payments together do not exceed the balance', async () => {
    const { id } = await open({ totalAmount: 10_000n });
    const calls = Array.from({ length: 30 }, () => pay(id, 900n));
    expect(await outcomes(calls)).toEqual({ succeeded: 11, failed: 19, reasons: ['AMOUNT_EXCEEDS_BALANCE'] });
    const plan = await read(id);
    expect([plan.amountPaid, plan.payments.length, plan.status]).toEqual([9_900n, 11, 'active']);
    expect(plan.payments.map(({ receiptNumber }) => receiptNumber).sort((a, b) => a - b)).toEqual(Array.from({ length: 11 }, (_, index) => index + 1));
  });

  test('concurrent payments and voids result in the correct sum', async () => {
    const { id } = await open({ totalAmount: 50_000n });
    for (let index = 0; index < 10; index++) await pay(id, 1_000n);
    const { payments } = await read(id);
    await Promise.all([
      ...payments.flatMap((payment) => [1, 2].map(() => s.payments.voidPayment({ id: payment.id, reason: 'doble' }, me()).catch(() => {}))),
      ...Array.from({ length: 10 }, () => pay(id, 500n)),
    ]);
    const after = await read(id);
    expect([after.amountPaid, after.payments.length]).toEqual([5_000n, 10]);
  });

  test('a payment is voided once and is no longer listed in the plan', async () => {
    const { id } = await open({ totalAmount: 500n });
    const paid = await pay(id, 500n);
    const paymentId = paid.payments[0]?.id ?? '';
    const calls = Array.from({ length: 5 }, () => s.payments.voidPayment({ id: paymentId, reason: 'error' }, me()));
    expect(await outcomes(calls)).toEqual({ succeeded: 1, failed: 4, reasons: ['NOT_FOUND'] });
    expect(await read(id)).toMatchObject({ status: 'active', amountPaid: 0n, payments: [] });
    await expect(s.payments.voidPayment({ id: paymentId, reason: 'x' }, me())).rejects.toMatchObject({ message: 'Payment not found or already voided' });
    expect((await s.events(clinicId)).filter(({ name }) => name === 'payment-voided')).toHaveLength(1);
  });

  test('are found by other services, voided or not, in their own clinic only', async () => {
    const { id = '' } = (await pay((await open()).id, 500n)).payments[0] ?? {};
    const lookup = s.service.client(LookupService);
    expect(await lookup.findPayment({ id }, me())).toMatchObject({ id, amount: 500n, patientId: patient.id });
    const voided = await s.payments.voidPayment({ id, reason: 'error' }, me());
    expect(await lookup.findPayment({ id }, me())).toEqual({ ...voided, patientId: patient.id });
    const missing = { reason: 'NOT_FOUND', message: 'Payment not found' };
    await expect(lookup.findPayment({ id }, s.asUser(randomUUID()))).rejects.toMatchObject(missing);
    for (const unknown of [randomUUID(), 'no-uuid']) await expect(lookup.findPayment({ id: unknown }, me())).rejects.toMatchObject(missing);
  });

  test('repeated requests with the same key record one payment', async () => {
    const { id } = await open();
    const answers = await Promise.all(Array.from({ length: 10 }, () => pay(id, 25_000n, 'once')));
    expect(new Set(answers.map(({ amountPaid }) => amountPaid))).toEqual(new Set([25_000n]));
    expect((await read(id)).amountPaid).toBe(25_000n);
    await expect(pay(id, 24_000n, 'once')).rejects.toMatchObject({ reason: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('a repeated request gets the first response again, whatever happened meanwhile, and more payments hardly lengthen the stored response', async () => {
    const { id } = await open({ installments: 3 });
    const [voided] = (await pay(id, 2_000n)).payments;
    const early = await pay(id, 4_000n, 'early');
    await s.payments.voidPayment({ id: voided?.id ?? '', reason: 'error' }, me());
    for (let n = 0; n < 20; n++) await pay(id, 100n);
    const late = await pay(id, 100n, 'late');
    await s.payments.updatePaymentPlan({ id, description: 'Frenos' }, me());
    expect(await pay(id, 4_000n, 'early')).toEqual(early);
    expect(early).toMatchObject({ amountPaid: 6_000n, payments: [{ amount: 2_000n }, { amount: 4_000n }] });
    expect(await pay(id, 100n, 'late')).toEqual(late);
    expect(late.payments).toHaveLength(22);
    const { rows } = await s.owner.query('select length(response) as size from idempotency_keys where clinic_id = $1 order by created_at', [clinicId]);
    expect(rows[1].size - rows[0].size).toBeLessThan(22 * 6);
  });
});

test('the timeline has plans, payments, chart entries and periodontal exams of the patient, page by page', async () => {
  const plan = await open({ totalAmount: 1_000n });
  s.clock.advance(1_000);
  const { payments } = await pay(plan.id, 400n);
  await s.payments.voidPayment({ id: payments[0]?.id ?? '', reason: 'error' }, me());
  s.clock.advance(1_000);
  await s.charts.addChartEntry({ patientId: patient.id, tooth: 36, finding: 'caries', status: 'existing' }, me());
  s.clock.advance(1_000);
  const sites = [{ site: 'MV', depth: 3 }];
  const exam = await s.periodontics.addPeriodontalExam({ patientId: patient.id, examDate: '2026-05-30', teeth: [{ tooth: 26, sites }] }, me());
  const list = async (request: object, patientIds = [patient.id]) =>
    (await s.service.client(TimelineService).listTimelineEntries({ patientIds, limit: 500, ...request }, me())).entries;
  const entries = await list({});
  expect(entries).toMatchObject([
    { kind: 'periodontal_exam', id: exam.id, title: '2026-05-30' },
    { kind: 'chart_entry', title: 'caries 36', status: 'existing' },
    { kind: 'payment', title: 'cash', status: 'voided', amount: 400n },
    { kind: 'payment_plan', id: plan.id, title: 'Ortodoncia', status: 'active', amount: 1_000n },
  ]);
  const [first, second] = entries;
  expect(await list({ limit: 1 })).toEqual([first]);
  expect(await list({ limit: 1, ...(first?.at && { before: first.at }), beforeId: first?.id })).toEqual([second]);
  expect(await list({}, [randomUUID()])).toEqual([]);
});

test('the receipt of a patient whose record was merged is still there until its event arrives', async () => {
  const { payments } = await pay((await open()).id, 100n);
  Object.assign(s.patients.get(patient.id) ?? {}, { isMerged: true });
  expect(textOfPdf((await s.payments.getReceipt({ id: payments[0]?.id ?? '' }, me())).content)).toContain('Luis Pérez');
});

test('the timeline shows a plan as overdue as soon as a due date has passed', async () => {
  const plan = await open({ installments: 1, firstDueDate: '2026-06-01' });
  const statuses = async () =>
    (await s.service.client(TimelineService).listTimelineEntries({ patientIds: [patient.id], limit: 500 }, me())).entries.map(({ status }) => status);
  expect(await statuses()).toEqual(['active']);
  s.clock.advance(86_400_000); // the job that stores the change has not run
  expect([await statuses(), (await read(plan.id)).status]).toEqual([['overdue'], 'overdue']);
});

test('a recorded payment is published with the appointments of the steps of the plan, not with those of skipped steps or of other options', async () => {
  const { id, clinicId: of } = await s.treatments.createTreatmentPlan({ patientId: patient.id, title: 'Plan' }, me());
  const appointmentIds = Array.from({ length: 4 }, () => s.appointment(of, patient.id).id);
  const addStep = (index: number, fields: object = {}) =>
    s.treatments.addTreatmentStep({ id, procedure: 'Corona', appointmentId: appointmentIds[index] ?? '', ...fields }, me());
  await addStep(0);
  await addStep(0);
  await addStep(1);
  const skipped = await addStep(2);
  await s.treatments.updateTreatmentStep({ id: skipped.id, status: 'skipped' }, me());
  const { options } = await s.treatments.addTreatmentOption({ id, name: 'B' }, me());
  await addStep(3, { optionId: options[1]?.id ?? '' });
  await pay((await open({ treatmentPlanId: id })).id, 100n);
  const recorded = (await s.events(clinicId)).filter(({ name }) => name === 'payment-recorded');
  expect(recorded.map(({ payload }) => (payload.appointmentIds as string[]).toSorted())).toEqual([appointmentIds.slice(0, 2).toSorted()]);
});

describe('instalments', () => {
  test('of a plan created on the 31st without a first due date are due on the 31st, or on the last day of shorter months', async () => {
    s.clock.set(new Date('2027-02-01T05:59:00Z')); // still 31 January in San Salvador
    const dues = async (fields: object) => (await open({ installments: 4, ...fields })).installments.map(({ dueDate }) => dueDate);
    expect(await dues({})).toEqual(['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']);
    expect(await dues({ firstDueDate: '2027-02-28' })).toEqual(['2027-02-28', '2027-03-28', '2027-04-28', '2027-05-28']);
  });

  test('fall due and are covered in order', async () => {
    const { id, installments } = await open({ totalAmount: 1_000n, installments: 3 });
    expect(installments.map(({ dueDate, amount, status }) => [dueDate, amount, status])).toEqual([
      ['2026-07-01', 333n, 'due'],
      ['2026-08-01', 333n, 'due'],
      ['2026-09-01', 334n, 'due'],
    ]);
    s.clock.set(new Date('2026-07-02T05:59:00Z')); // still 1 July in San Salvador
    expect((await read(id)).status).toBe('active');
    s.clock.set(new Date('2026-07-02T06:00:00Z'));
    expect((await read(id)).status).toBe('overdue');
    expect((await s.payments.listPaymentPlans({ status: 'overdue' }, me())).plans.map((plan) => plan.id)).toEqual([id]);
    expect((await s.payments.listPaymentPlans({ status: 'active' }, me())).total).toBe(0);
    expect(await s.payments.getPaymentSummary({}, me())).toMatchObject({ totalPending: 1_000n, activeCount: 0, overdueCount: 1 });
    await open({ totalAmount: 500n });
    const balance = () => s.payments.getPatientBalance({ patientId: patient.id }, me());
    expect(await balance()).toMatchObject({
      owed: 1_500n,
      overdue: 333n,
      plans: [
        { owed: 500n, overdue: 0n },
        { id, owed: 1_000n, overdue: 333n, status: 'overdue' },
      ],
    });
    const paid = await pay(id, 400n);
    expect(await balance()).toMatchObject({
      owed: 1_100n,
      overdue: 0n,
      plans: [{ status: 'active' }, { id, amountPaid: 400n, overdue: 0n, nextDueDate: '2026-08-01' }],
    });
    await expect(s.payments.getPatientBalance({ patientId: randomUUID() }, me())).rejects.toMatchObject({ message: 'Patient not found' });
    expect([paid.status, paid.nextDueDate, paid.installments.map((one) => one.status)]).toEqual(['active', '2026-08-01', ['paid', 'due', 'due']]);
    const [first] = paid.payments;
    await s.payments.voidPayment({ id: first?.id ?? '', reason: 'error' }, me());
    expect((await read(id)).status).toBe('overdue');
  });

  test('more instalments than cents, or a first due date without instalments, is rejected', async () => {
    await expect(open({ totalAmount: 59n, installments: 60 })).rejects.toMatchObject({ details: [{ path: 'installments' }] });
    await expect(open({ firstDueDate: '2026-07-01' })).rejects.toMatchObject({ details: [{ path: 'first_due_date' }] });
    await expect(open({ installments: 61 })).rejects.toMatchObject({ details: [{ path: 'installments' }] });
  });
});

describe('plans', () => {
  test('a cancelled plan stays cancelled when it is paid, and any status can be set', async () => {
    const { id } = await open({ totalAmount: 1_000n });
    expect((await s.payments.cancelPaymentPlan({ id }, me())).status).toBe('cancelled');
    expect(await pay(id, 1_000n)).toMatchObject({ status: 'cancelled', amountPaid: 1_000n });
    for (const status of ['overdue', 'paid', 'active', 'cancelled']) {
      expect((await s.payments.updatePaymentPlan({ id, status }, me())).status).toBe(status);
      expect((await read(id)).status).toBe(status);
    }
    expect((await s.payments.updatePaymentPlan({ id, notes: 'x' }, me())).status).toBe('cancelled');
    await s.payments.updatePaymentPlan({ id, status: 'active' }, me());
    expect((await s.payments.updatePaymentPlan({ id, notes: 'x', reminderEnabled: false }, me())).status).toBe('active'); // the same values again
    expect((await s.payments.updatePaymentPlan({ id, reminderEnabled: true, reminderDayOfMonth: 28 }, me())).status).toBe('paid');
  });

  test('a plan that a user has set to paid or cancelled is not owed', async () => {
    const { id } = await open({ totalAmount: 1_000n, installments: 2, firstDueDate: '2026-01-01' });
    const balance = () => s.payments.getPatientBalance({ patientId: patient.id }, me());
    for (const status of ['paid', 'cancelled']) {
      await s.payments.updatePaymentPlan({ id, status }, me());
      expect(await balance()).toMatchObject({ owed: 0n, overdue: 0n, plans: [] });
      expect((await s.payments.getPaymentSummary({}, me())).totalPending).toBe(0n);
    }
    await s.payments.updatePaymentPlan({ id, status: 'overdue' }, me());
    expect(await balance()).toMatchObject({ owed: 1_000n, overdue: 1_000n, plans: [{ id, status: 'overdue' }] });
  });

  test('the treatment plan must be of the same patient', async () => {
    const own = await s.treatments.createTreatmentPlan({ patientId: patient.id, title: 'x' }, me());
    expect((await open({ treatmentPlanId: own.id })).treatmentPlanId).toBe(own.id);
    const other = await s.treatments.createTreatmentPlan({ patientId: s.patient(clinicId).id, title: 'x' }, me());
    for (const treatmentPlanId of [other.id, randomUUID()]) {
      await expect(open({ treatmentPlanId })).rejects.toMatchObject({ message: 'Treatment plan not found' });
    }
  });

  test('the states of plans of several clinics are found together, and only those that exist', async () => {
    const [paid, other] = [await open({ installments: 2 }), await open()];
    await pay(paid.id, 60_000n);
    const elsewhere = randomUUID();
    const theirs = await s.payments.createPaymentPlan({ patientId: s.patient(elsewhere).id, description: 'x', totalAmount: 100n }, s.asUser(elsewhere));
    const plans = [
      { clinicId, id: paid.id },
      { clinicId, id: other.id },
      { clinicId: elsewhere, id: theirs.id },
      { clinicId: elsewhere, id: paid.id },
    ];
    const { paymentPlans } = await s.service.client(StateService).findPaymentPlanStates({ plans }, asService('scheduling'));
    expect(paymentPlans.map((plan) => plan.paymentPlan?.paymentPlanId).toSorted()).toEqual([paid.id, other.id, theirs.id].toSorted());
    const found = paymentPlans.find((plan) => plan.paymentPlan?.paymentPlanId === paid.id);
    expect(found).toMatchObject({ clinicId, instalments: [{ amountCents: 50_000n }, { amountCents: 50_000n }], payments: [{ amountCents: 60_000n }] });
  });

  test('another clinic can neither read nor change a plan', async () => {
    const { id } = await open();
    const paid = await pay(id, 100n);
    const other = s.asUser(randomUUID());
    const gone = { reason: 'NOT_FOUND', message: 'Payment plan not found' };
    for (const wanted of [id, randomUUID(), 'no-uuid']) {
      await expect(s.payments.getPaymentPlan({ id: wanted }, other)).rejects.toMatchObject(gone);
      await expect(s.payments.updatePaymentPlan({ id: wanted, status: 'paid' }, other)).rejects.toMatchObject(gone);
      await expect(s.payments.cancelPaymentPlan({ id: wanted }, other)).rejects.toMatchObject(gone);
      await expect(s.payments.recordPayment({ id: wanted, amount: 1n }, other)).rejects.toMatchObject(gone);
    }
    const paymentId = paid.payments[0]?.id ?? '';
    await expect(s.payments.voidPayment({ id: paymentId, reason: 'x' }, other)).rejects.toMatchObject({ message: 'Payment not found or already voided' });
    await expect(s.payments.getReceipt({ id: paymentId }, other)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    expect((await s.payments.listPaymentPlans({ patientId: patient.id }, other)).plans).toEqual([]);
    expect(await s.payments.getPaymentSummary({}, other)).toMatchObject({ totalCollected: 0n, totalPending: 0n, activeCount: 0 });
    expect((await read(id)).amountPaid).toBe(100n);
  });
});

test('the summary follows updates and deletes of many plans in one statement', async () => {
  for (let index = 0; index < 4; index++) await open({ totalAmount: 1_000n });
  await s.owner.query(
    "update dental.payment_plans set paid_cents = 400, status = case when id = (select min(id::text)::uuid from dental.payment_plans where clinic_id = $1) then 'cancelled' else status end where clinic_id = $1",
    [clinicId],
  );
  expect(await s.payments.getPaymentSummary({}, me())).toMatchObject({ totalCollected: 1_600n, totalPending: 1_800n, activeCount: 3 });
  await s.owner.query("delete from dental.payment_plans where clinic_id = $1 and status = 'cancelled'", [clinicId]);
  expect(await s.payments.getPaymentSummary({}, me())).toMatchObject({ totalCollected: 1_200n, totalPending: 1_800n, activeCount: 3 });
});
