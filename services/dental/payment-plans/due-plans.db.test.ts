// The hourly overdue job and the monthly payment reminders, in the time zone of the clinic.
import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asSystem } from '@clinic/lib/db/db.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { upsertClinicZone } from '../clinics/clinic-zones.sql.ts';
import { onClinicUpdated } from '../recall/consumers/project-clinics.ts';
import { type Dental, MONDAY, startDental } from '../testing/dental-service.ts';
import { markOverduePlans, remindOfPayments } from './due-plans.ts';

let s: Dental;
let app: Parameters<typeof remindOfPayments>[0];
let clinicId: string;
let patient: { id: string };
beforeAll(async () => {
  s = await startDental();
  app = { db: s.service.db, clock: s.clock };
});
afterAll(() => s.stop());
beforeEach(() => {
  s.clock.set(MONDAY);
  clinicId = randomUUID();
  patient = s.patient(clinicId);
});

const me = () => s.asUser(clinicId);
const open = (fields: object) => s.payments.createPaymentPlan({ patientId: patient.id, description: 'x', totalAmount: 900n, ...fields }, me());
const published = async (name: string) => (await s.events(clinicId)).filter((event) => event.name === name);
const at = (instant: string) => s.clock.set(new Date(instant));

describe('the hourly job', () => {
  test('marks late plans as overdue and publishes each change once', async () => {
    const late = await open({ installments: 3 });
    const paid = await open({ installments: 3 });
    await s.payments.recordPayment({ id: paid.id, amount: 300n }, me());
    const before = (await published('payment-plan-updated')).length;
    at('2026-07-02T08:00:00Z');
    await Promise.all([markOverduePlans(app), markOverduePlans(app)]);
    await markOverduePlans(app);
    const after = (await published('payment-plan-updated')).slice(before);
    expect(after.map(({ payload }) => payload.paymentPlan)).toMatchObject([{ paymentPlanId: late.id, status: 'overdue', revision: 2 }]);
    const { rows } = await s.owner.query('select status from dental.payment_plans where id = $1', [late.id]);
    expect(rows).toEqual([{ status: 'overdue' }]);
  });

  test('uses the date in the time zone of each clinic', async () => {
    await asSystem(s.service.db, (tx) => upsertClinicZone(tx, clinicId, 'Pacific/Auckland', 1));
    await open({ installments: 1, firstDueDate: '2026-07-01' });
    at('2026-07-01T11:59:00Z'); // 23:59 in Auckland
    await markOverduePlans(app);
    expect(await published('payment-plan-updated')).toHaveLength(1);
    at('2026-07-01T12:01:00Z');
    await markOverduePlans(app);
    expect(await published('payment-plan-updated')).toHaveLength(2);
  });
});

describe('reminders', () => {
  const reminded = { reminderEnabled: true, reminderDayOfMonth: 5 };

  test('are published once a month on their day, from 09:00', async () => {
    const { id } = await open(reminded);
    at('2026-06-05T14:59:00Z'); // 8:59 in San Salvador
    await remindOfPayments(app);
    expect(await published('payment-reminder-due')).toHaveLength(0);
    at('2026-06-05T15:05:00Z');
    await Promise.all([remindOfPayments(app), remindOfPayments(app), remindOfPayments(app)]);
    at('2026-06-06T05:00:00Z');
    await remindOfPayments(app);
    at('2026-06-06T16:00:00Z');
    await remindOfPayments(app);
    at('2026-07-05T16:00:00Z');
    await remindOfPayments(app);
    expect((await published('payment-reminder-due')).map(({ payload }) => payload)).toMatchObject([
      { paymentPlan: { paymentPlanId: id }, month: '2026-06' },
      { paymentPlan: { paymentPlanId: id }, month: '2026-07' },
    ]);
  });

  const months = async () => (await published('payment-reminder-due')).map(({ payload }) => payload.month);
  const remindAt = async (instant: string) => {
    at(instant);
    await remindOfPayments(app);
  };

  test('are published on the 1st for a plan without a day', async () => {
    await open({ reminderEnabled: true });
    const other = await open({ ...reminded, reminderDayOfMonth: 20 });
    await s.payments.updatePaymentPlan({ id: other.id, reminderDayOfMonth: 0 }, me());
    for (const instant of ['2026-06-01T15:05:00Z', '2026-06-30T15:05:00Z', '2026-07-01T15:05:00Z']) await remindAt(instant);
    expect(await months()).toEqual(['2026-06', '2026-06', '2026-07', '2026-07']);
  });

  test('that were missed are published late: the same month, in the next month, and after a long outage only the last one', async () => {
    await open(reminded);
    await remindAt('2026-06-07T14:00:00Z'); // 8:00 in San Salvador
    expect(await months()).toEqual([]);
    await remindAt('2026-06-07T15:00:00Z');
    await remindAt('2026-06-08T15:00:00Z');
    expect(await months()).toEqual(['2026-06']);
    await remindAt('2026-08-02T15:00:00Z');
    expect(await months()).toEqual(['2026-06', '2026-07']);
    await remindAt('2026-12-20T15:00:00Z');
    expect(await months()).toEqual(['2026-06', '2026-07', '2026-12']);
    await remindAt('2027-01-02T15:00:00Z');
    await remindAt('2027-01-05T15:00:00Z');
    expect(await months()).toEqual(['2026-06', '2026-07', '2026-12', '2027-01']);
  });

  test('do not count days as missed on which the plan had no reminder', async () => {
    at('2026-06-20T16:00:00Z');
    const fresh = await open(reminded);
    const other = await open({ reminderDayOfMonth: 5 });
    await s.payments.updatePaymentPlan({ id: other.id, reminderEnabled: true }, me());
    const paid = await open({ ...reminded, totalAmount: 100n });
    const { payments } = await s.payments.recordPayment({ id: paid.id, amount: 100n }, me());
    await remindAt('2026-07-06T16:00:00Z');
    expect((await published('payment-reminder-due')).map(({ payload }) => (payload.paymentPlan as { paymentPlanId: string }).paymentPlanId).sort()).toEqual(
      [fresh.id, other.id].sort(),
    );
    await s.payments.voidPayment({ id: payments[0]?.id ?? '', reason: 'x' }, s.asAdmin(clinicId));
    await s.payments.updatePaymentPlan({ id: fresh.id, reminderDayOfMonth: 3 }, me());
    await remindAt('2026-07-07T16:00:00Z');
    expect(await months()).toEqual(['2026-07', '2026-07']);
    await remindAt('2026-08-05T16:00:00Z');
    expect(await months()).toEqual(['2026-07', '2026-07', '2026-08', '2026-08', '2026-08']);
  });

  test('are not published while the clinic has expired, or is without dental, and then once', async () => {
    const clinic = { plan: 'pro', isActive: true, clinicType: 'dental', features: ['dental'] };
    let revision = 1;
    const change = async (changes: object) => {
      revision += 1;
      await deliver(s.service.db, onClinicUpdated, clinicId, create(ClinicUpdatedSchema, { ...clinic, ...changes, revision }));
    };
    await open(reminded);
    for (const changes of [{ plan: 'basic', features: [] }, { features: [] }, { clinicType: 'medical' }, { isActive: false }]) {
      await change(changes);
      await remindAt('2026-06-05T16:00:00Z');
    }
    await change({ subscriptionExpiresAt: timestampFromDate(new Date('2026-06-01T00:00:00Z')) });
    await remindAt('2026-07-05T16:00:00Z');
    expect(await months()).toEqual([]);
    await change({});
    await remindAt('2026-07-08T16:00:00Z');
    expect(await months()).toEqual(['2026-07']);
  });

  test('are not published for plans that are paid, cancelled or without reminders', async () => {
    await open({ reminderDayOfMonth: 5 });
    const paid = await open(reminded);
    await s.payments.recordPayment({ id: paid.id, amount: 900n }, me());
    await s.payments.cancelPaymentPlan({ id: (await open(reminded)).id }, me());
    at('2026-06-05T16:00:00Z');
    await remindOfPayments(app);
    expect(await published('payment-reminder-due')).toEqual([]);
  });
});
