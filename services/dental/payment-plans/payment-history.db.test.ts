// Random sequences of payments, voids, changes, cancellations and passing days against a model of the specification.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Dental, MONDAY, startDental } from '../testing/dental-service.ts';

let s: Dental;
beforeAll(async () => {
  s = await startDental();
});
afterAll(() => s.stop());

const DAY = 86_400_000;
const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('pay' as const), cents: fc.integer({ min: 1, max: 4_000 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('void' as const), at: fc.nat({ max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('note' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 40 }) }) },
);

test('after each step, amount and status equal those of the model', async () => {
  const clinicId = randomUUID();
  const me = s.asUser(clinicId);
  const patient = s.patient(clinicId);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1_000, max: 12_000 }),
      fc.integer({ min: 0, max: 4 }),
      fc.array(event, { maxLength: 15 }),
      async (total, parts, events) => {
        let now = MONDAY.getTime();
        s.clock.set(new Date(now));
        const wanted = parts > 0 ? { installments: parts } : {};
        const { id } = await s.payments.createPaymentPlan({ patientId: patient.id, description: 'x', totalAmount: BigInt(total), ...wanted }, me);
        const payments: { id: string; cents: number; voided: boolean }[] = [];
        let cancelled = false;

        const paid = () => payments.reduce((sum, one) => sum + (one.voided ? 0 : one.cents), 0);
        const statusNow = () => {
          if (cancelled) return 'cancelled';
          if (paid() >= total) return 'paid';
          const share = Math.floor(total / Math.max(parts, 1));
          const late = Array.from({ length: parts }, (_, index) => index).some((index) => {
            const due = Date.UTC(2026, 6 + index, 2, 6); // the end of 1 July, 1 August … in San Salvador
            return now >= due && paid() < (index === parts - 1 ? total : share * (index + 1));
          });
          return late ? 'overdue' : 'active';
        };

        for (const one of events) {
          if (one.kind === 'pay') {
            const fits = paid() + one.cents <= total;
            const known = new Set(payments.map((payment) => payment.id));
            const plan = await s.payments.recordPayment({ id, amount: BigInt(one.cents) }, me).catch((error: { reason?: string }) => error.reason);
            if (typeof plan !== 'object') expect([plan, fits]).toEqual(['AMOUNT_EXCEEDS_BALANCE', false]);
            else for (const payment of plan.payments) if (!known.has(payment.id)) payments.push({ id: payment.id, cents: one.cents, voided: false });
          } else if (one.kind === 'void' && payments.length > 0) {
            const payment = payments[one.at % payments.length];
            const outcome = await s.payments.voidPayment({ id: payment?.id ?? '', reason: 'x' }, me).then(
              () => 'voided',
              () => 'gone',
            );
            expect(outcome).toBe(payment?.voided ? 'gone' : 'voided');
            if (payment) payment.voided = true;
          } else if (one.kind === 'cancel') {
            await s.payments.cancelPaymentPlan({ id }, me);
            cancelled = true;
          } else if (one.kind === 'note') await s.payments.updatePaymentPlan({ id, notes: 'x' }, me);
          else if (one.kind === 'wait') {
            now += one.days * DAY;
            s.clock.set(new Date(now));
          }
          const plan = await s.payments.getPaymentPlan({ id }, me);
          expect([Number(plan.amountPaid), plan.status]).toEqual([paid(), statusNow()]);
          expect(plan.payments.map((payment) => payment.id).sort()).toEqual(
            payments
              .filter(({ voided }) => !voided)
              .map((payment) => payment.id)
              .sort(),
          );
        }
        const { plans } = await s.payments.listPaymentPlans({}, me);
        const open = plans.filter((plan) => plan.status === 'active' || plan.status === 'overdue');
        expect(await s.payments.getPaymentSummary({}, me)).toMatchObject({
          totalCollected: plans.reduce((sum, plan) => sum + plan.amountPaid, 0n),
          totalPending: open.reduce((sum, plan) => sum + plan.totalAmount - plan.amountPaid, 0n),
          activeCount: open.filter((plan) => plan.status === 'active').length,
          overdueCount: open.filter((plan) => plan.status === 'overdue').length,
        });
      },
    ),
    { numRuns: 40 },
  );
});
