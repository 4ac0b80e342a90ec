// Writes the commission ledger from payments. Events may repeat and arrive in any order: each entry is written once, and a void that
// arrives before its payment is stored until the payment arrives.

import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { PaymentRecorded, PaymentVoided } from '@clinic/proto/events/v1/dental_pb.js';
import { v7 } from 'uuid';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { appointmentNear, commissionOf } from './commission-rules.ts';
import { findEarned, findRuleAt, findVoid, insertEntry, insertVoid, listEarning, lockPayment } from './commissions.sql.ts';

/** Adds the entry of a payment, by the rule in force when it was paid. A payment without a doctor or a rule has no entry. */
export async function recordCommission(tx: SystemTx, clinicId: string, { payment, paymentPlan, appointmentIds }: PaymentRecorded, now: Date): Promise<void> {
  if (!payment?.paidAt || !paymentPlan || appointmentIds.length === 0) return;
  const { paymentId, amountCents } = payment;
  const paidAt = timestampDate(payment.paidAt);
  await lockPayment(tx, clinicId, paymentId);
  const appointment = appointmentNear(await listEarning(tx, clinicId, appointmentIds), paidAt);
  const rule = appointment && (await findRuleAt(tx, clinicId, appointment.doctor_id, paidAt));
  if (!appointment || !rule) return;
  await insertEntry(tx, {
    clinic_id: clinicId,
    id: v7(),
    doctor_id: appointment.doctor_id,
    kind: 'earned',
    payment_id: paymentId,
    payment_plan_id: paymentPlan.paymentPlanId,
    patient_id: paymentPlan.patientId,
    appointment_id: appointment.id,
    payment_cents: amountCents,
    rule_type: rule.type,
    rule_value: rule.value,
    amount_cents: commissionOf(amountCents, rule),
    date: await dateOf(tx, clinicId, paidAt),
    created_at: now,
  });
  await insertReversal(tx, clinicId, paymentId, now);
}

/** Reverses the commission of a voided payment by the amount that was recorded, whatever the rule is now. */
export async function reverseCommission(tx: SystemTx, clinicId: string, { payment }: PaymentVoided, now: Date): Promise<void> {
  if (!payment) return;
  await lockPayment(tx, clinicId, payment.paymentId);
  await insertVoid(tx, clinicId, payment.paymentId, payment.voidedAt ? timestampDate(payment.voidedAt) : now);
  await insertReversal(tx, clinicId, payment.paymentId, now);
}

/** Does nothing unless both the commission and the void are recorded. */
async function insertReversal(tx: SystemTx, clinicId: string, paymentId: string, now: Date): Promise<void> {
  const [earned, voided] = await Promise.all([findEarned(tx, clinicId, paymentId), findVoid(tx, clinicId, paymentId)]);
  if (!earned || !voided) return;
  const date = await dateOf(tx, clinicId, voided.voided_at);
  await insertEntry(tx, { ...earned, id: v7(), kind: 'reversed', amount_cents: -earned.amount_cents, date, created_at: now });
}

const dateOf = async (tx: SystemTx, clinicId: string, at: Date): Promise<string> => dateIn(await findZoneIn(tx, clinicId), at);
