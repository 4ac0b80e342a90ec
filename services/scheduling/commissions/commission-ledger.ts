// From payments to lines of the ledger. Events may repeat and overtake each other: the ledger takes each line once, and a
// void that comes first waits for its payment.

import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { PaymentRecorded, PaymentVoided } from '@clinic/proto/events/v1/dental_pb.js';
import { v7 } from 'uuid';
import { findZone } from '../clinics/clinics.sql.ts';
import { commissionOf } from './commission-rules.ts';
import { findEarned, findRuleAt, findVisitNear, findVoid, insertEntry, lockPayment, noteVoid } from './commissions.sql.ts';

/** Adds the line of a payment, for the doctor and by the rule of its time. A payment without either counts for nobody. */
export async function earn(tx: SystemTx, clinicId: string, { payment, paymentPlan, appointmentIds }: PaymentRecorded, now: Date): Promise<void> {
  if (!payment?.paidAt || !paymentPlan || appointmentIds.length === 0) return;
  const { paymentId, amountCents } = payment;
  const paidAt = timestampDate(payment.paidAt);
  await lockPayment(tx, clinicId, paymentId);
  const visit = await findVisitNear(tx, clinicId, appointmentIds, paidAt);
  const rule = visit && (await findRuleAt(tx, clinicId, visit.doctor_id, paidAt));
  if (!visit || !rule) return;
  await insertEntry(tx, {
    clinic_id: clinicId,
    id: v7(),
    doctor_id: visit.doctor_id,
    kind: 'earned',
    payment_id: paymentId,
    payment_plan_id: paymentPlan.paymentPlanId,
    patient_id: paymentPlan.patientId,
    appointment_id: visit.id,
    payment_cents: amountCents,
    rule_type: rule.type,
    rule_value: rule.value,
    amount_cents: commissionOf(amountCents, rule),
    date: await dateOf(tx, clinicId, paidAt),
    created_at: now,
  });
  await reverse(tx, clinicId, paymentId, now);
}

/** Takes back what a payment earned, to the cent, whatever the rule is now. */
export async function takeBack(tx: SystemTx, clinicId: string, { payment }: PaymentVoided, now: Date): Promise<void> {
  if (!payment) return;
  await lockPayment(tx, clinicId, payment.paymentId);
  await noteVoid(tx, clinicId, payment.paymentId, payment.voidedAt ? timestampDate(payment.voidedAt) : now);
  await reverse(tx, clinicId, payment.paymentId, now);
}

async function reverse(tx: SystemTx, clinicId: string, paymentId: string, now: Date): Promise<void> {
  const [earned, voided] = await Promise.all([findEarned(tx, clinicId, paymentId), findVoid(tx, clinicId, paymentId)]);
  if (!earned || !voided) return;
  const date = await dateOf(tx, clinicId, voided.voided_at);
  await insertEntry(tx, { ...earned, id: v7(), kind: 'reversed', amount_cents: -earned.amount_cents, date, created_at: now });
}

async function dateOf(tx: SystemTx, clinicId: string, at: Date): Promise<string> {
  return dateIn(await findZone(tx, clinicId), at);
}
