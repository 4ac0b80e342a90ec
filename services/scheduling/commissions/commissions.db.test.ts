// Each payment earns one commission by the rule in force; a void reverses it exactly, whatever the order of the events.
import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { PaymentRecordedSchema, PaymentVoidedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { CommissionService } from '@clinic/proto/scheduling/v1/commission_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { everyDay, MONDAY, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';
import { onPaymentRecorded, onPaymentVoided } from './consumers.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
beforeEach(() => s.clock.set(MONDAY));
afterAll(() => s.service.stop());

const commissions = () => s.service.client(CommissionService);
const setRule = (clinicId: string, doctorId: string, type: string, value: bigint) =>
  commissions().setCommissionRule({ doctorId, type, value }, s.asAdmin(clinicId));
const ledger = async (clinicId: string, filter = {}) => commissions().listCommissions(filter, s.asAdmin(clinicId));
const lines = async (clinicId: string) => (await ledger(clinicId)).entries.map(({ kind, amount, date }) => [kind, amount, date]);

type Payment = { paymentId: string; amountCents: bigint; paidAt: Date; appointmentIds: string[] };
const payment = (appointmentIds: string[], amountCents = 10_000n): Payment => ({ paymentId: randomUUID(), amountCents, paidAt: s.clock.now(), appointmentIds });
const plan = { paymentPlanId: randomUUID(), patientId: randomUUID() };

async function record(clinicId: string, { paymentId, amountCents, paidAt, appointmentIds }: Payment, patientId: string = plan.patientId) {
  const event = create(PaymentRecordedSchema, {
    payment: { paymentId, amountCents, paidAt: timestampFromDate(paidAt) },
    paymentPlan: { ...plan, patientId },
    appointmentIds,
  });
  await deliver(s.service.db, onPaymentRecorded(s), clinicId, event);
}
async function unrecord(clinicId: string, { paymentId, amountCents, paidAt }: Payment, voidedAt = s.clock.now()) {
  const voided = { paymentId, amountCents, paidAt: timestampFromDate(paidAt), voidedAt: timestampFromDate(voidedAt) };
  await deliver(s.service.db, onPaymentVoided(s), clinicId, create(PaymentVoidedSchema, { payment: voided, paymentPlan: plan }));
}

async function treated() {
  const { id, doctor } = await s.clinic();
  const appointment = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  return { id, doctor, appointment };
}

test('a doctor has no rule at first, and then the last one that was set', async () => {
  const { id, doctor } = await s.clinic();
  const rule = await commissions().getCommissionRule({ doctorId: doctor.id }, s.asAdmin(id));
  expect([rule.doctorId, rule.type, rule.value, rule.since]).toEqual([doctor.id, undefined, undefined, undefined]);
  await setRule(id, doctor.id, 'fixed', 500n);
  s.clock.advance(1);
  expect(await setRule(id, doctor.id, 'percentage', 3_050n)).toMatchObject({ type: 'percentage', value: 3_050n });
  expect(await commissions().getCommissionRule({ doctorId: doctor.id }, s.asAdmin(id))).toMatchObject({ type: 'percentage', value: 3_050n });
  const current = await commissions().getCommissionRule({ doctorId: doctor.id }, s.asAdmin(id));
  s.clock.advance(1);
  expect(await setRule(id, doctor.id, 'percentage', 3_050n)).toEqual(current); // also its date
  await expect(setRule(id, doctor.id, 'percentage', 10_001n)).rejects.toMatchObject({ details: [{ path: 'value' }] });
  await expect(setRule(id, doctor.id, 'share', 1n)).rejects.toMatchObject({ details: [{ path: 'type' }] });
  await expect(commissions().setCommissionRule({ doctorId: doctor.id, type: 'fixed', value: 1n }, s.asUser(id))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  for (const doctorId of [doctor.id, 'x']) {
    const other = s.asAdmin(randomUUID());
    await expect(commissions().getCommissionRule({ doctorId }, other)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(commissions().setCommissionRule({ doctorId, type: 'fixed', value: 1n }, other)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  }
});

test('the rule in force at the time of the payment applies, however late the event arrives', async () => {
  const { id, doctor, appointment } = await treated();
  const before = payment([appointment.id]);
  s.clock.advance(60_000);
  await setRule(id, doctor.id, 'percentage', 3_000n);
  s.clock.advance(60_000);
  const during = payment([appointment.id]);
  s.clock.advance(60_000);
  await setRule(id, doctor.id, 'fixed', 700n);
  const after = payment([appointment.id]);
  for (const one of [after, before, during]) await record(id, one);
  const { entries, total, totalAmount } = await ledger(id);
  expect(entries.map(({ paymentId, amount, ruleType }) => [paymentId, amount, ruleType]).sort()).toEqual(
    [
      [during.paymentId, 3_000n, 'percentage'],
      [after.paymentId, 700n, 'fixed'],
    ].sort(),
  );
  expect([total, totalAmount]).toEqual([2, 3_700n]);
  expect(entries[0]).toMatchObject({
    doctorId: doctor.id,
    doctorName: 'Dra. Ana Rivas',
    appointmentId: appointment.id,
    date: '2026-06-01',
    paymentAmount: 10_000n,
  });
});

test('repeated events add nothing; a void reverses the commission, also when its event arrives first', async () => {
  const { id, doctor, appointment } = await treated();
  await setRule(id, doctor.id, 'percentage', 2_500n);
  const [one, other] = [payment([appointment.id]), payment([appointment.id])];
  await Promise.all([record(id, one), record(id, one), record(id, one)]);
  s.clock.set(new Date('2026-07-01T12:00:00Z'));
  await setRule(id, doctor.id, 'percentage', 9_000n);
  await Promise.all([unrecord(id, one), unrecord(id, one)]);
  await unrecord(id, other);
  expect(await lines(id)).toHaveLength(2);
  await record(id, other);
  await record(id, other);
  expect((await lines(id)).sort()).toEqual(
    [
      ['reversed', -2_500n, '2026-07-01'],
      ['reversed', -2_500n, '2026-07-01'],
      ['earned', 2_500n, '2026-06-01'],
      ['earned', 2_500n, '2026-06-01'],
    ].sort(),
  );
});

test('20 payments and their voids, concurrent and in any order, sum to 0', async () => {
  const { id, doctor, appointment } = await treated();
  await setRule(id, doctor.id, 'percentage', 3_333n);
  const payments = Array.from({ length: 20 }, (_, index) => payment([appointment.id], BigInt(100 + index)));
  await Promise.all(payments.flatMap((one, index) => (index % 2 ? [record(id, one), unrecord(id, one)] : [unrecord(id, one), record(id, one)])));
  expect(await ledger(id, { limit: 100 })).toMatchObject({ total: 40, totalAmount: 0n });
});

test('the doctor of the latest appointment up to the payment earns, or else of the first one after it, or else nobody', async () => {
  const [{ id, doctor, appointment }, foreign] = [await treated(), await treated()];
  const other = await s.doctors.createDoctor({ fullName: 'Dr. Otro', workingHours: everyDay('08:00', '12:00') }, s.asAdmin(id));
  const later = await s.appointments.bookAppointment(s.booking(other.id, '09:00', '2026-06-10'), s.asUser(id));
  const cancelled = await s.appointments.bookAppointment(s.booking(other.id, '11:00', TUESDAY), s.asUser(id));
  await s.appointments.updateAppointmentStatus({ id: cancelled.id, status: 'cancelled' }, s.asUser(id));
  await setRule(id, doctor.id, 'fixed', 100n);
  await setRule(id, other.id, 'fixed', 200n);
  const appointments = [later.id, cancelled.id, appointment.id];
  const earned = async (at: string, appointmentIds: string[]) => {
    s.clock.set(new Date(at));
    const one = payment(appointmentIds);
    await record(id, one);
    return (await ledger(id, { limit: 100 })).entries.find(({ paymentId }) => paymentId === one.paymentId)?.doctorId;
  };
  expect(await earned('2026-06-01T15:00:00Z', appointments)).toBe(doctor.id);
  expect(await earned('2026-06-05T15:00:00Z', appointments)).toBe(doctor.id);
  expect(await earned('2026-06-09T15:00:00Z', appointments)).toBe(doctor.id);
  expect(await earned('2026-06-11T15:00:00Z', appointments)).toBe(other.id);
  expect(await earned('2026-06-11T15:00:00Z', [cancelled.id])).toBeUndefined();
  expect(await earned('2026-06-11T15:00:00Z', [])).toBeUndefined();
  expect(await earned('2026-06-11T15:00:00Z', [foreign.appointment.id])).toBeUndefined();
});

test('the ledger names the patient into whom the record was merged', async () => {
  const { id, doctor, appointment } = await treated();
  await setRule(id, doctor.id, 'fixed', 500n);
  const paid = appointment.patientId;
  await record(id, payment([appointment.id]), paid);
  const keep = await s.patients.createPatient({ fullName: 'Rosa Díaz', phone: s.phone() }, s.asUser(id));
  const patientOf = async () => (await ledger(id)).entries[0]?.patientId;
  expect(await patientOf()).toBe(paid);
  await s.service.client(PatientFamilyService).mergePatients({ keepId: keep.id, mergeId: paid }, s.asAdmin(id));
  expect(await patientOf()).toBe(keep.id);
});

test('filters, and the report of a month by doctor, by dates of the clinic’s zone', async () => {
  const { id, doctor, appointment } = await treated();
  await setRule(id, doctor.id, 'percentage', 1_000n);
  s.clock.set(new Date('2026-07-01T05:59:00Z')); // still June there
  const june = payment([appointment.id], 12_345n);
  await record(id, june);
  s.clock.set(new Date('2026-07-01T06:00:00Z'));
  await record(id, payment([appointment.id], 20_000n));
  await unrecord(id, june);
  const report = (month?: string) => commissions().getCommissionReport({ ...(month && { month }) }, s.asAdmin(id));
  expect(await report('2026-06')).toMatchObject({
    payments: 1,
    earned: 1_235n,
    reversed: 0n,
    doctors: [{ doctorId: doctor.id, fullName: 'Dra. Ana Rivas', payments: 1, paymentAmount: 12_345n, totalAmount: 1_235n }],
  });
  expect(await report()).toMatchObject({ month: '2026-07', payments: 1, earned: 2_000n, reversed: 1_235n, totalAmount: 765n });
  expect(await report('2026-08')).toMatchObject({ doctors: [], totalAmount: 0n });
  expect((await ledger(id, { from: '2026-07-01', to: '2026-07-31' })).total).toBe(2);
  expect((await ledger(id, { to: '2026-06-30' })).total).toBe(1);
  expect((await ledger(id, { doctorId: randomUUID() })).total).toBe(0);
  expect((await ledger(randomUUID())).total).toBe(0);
  await expect(report('2026-13')).rejects.toMatchObject({ details: [{ path: 'month' }] });
});
