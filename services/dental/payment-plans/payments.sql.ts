// Payments. A payment may be voided once and does not change otherwise.
import { getRow, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { nextNumber } from '../documents/counters.sql.ts';

export type PaymentRow = {
  id: string;
  payment_plan_id: string;
  amount_cents: bigint;
  payment_method: string;
  notes: string | null;
  receipt_number: number;
  /** Balance of the plan after the payment. */
  balance_cents: bigint;
  paid_at: Date;
  voided_at: Date | null;
  void_reason: string | null;
};

export const toProto = (payment: PaymentRow) => ({ ...toFields(payment), amount: payment.amount_cents });

const COLUMNS = 'id, payment_plan_id, amount_cents, payment_method, notes, receipt_number, balance_cents, paid_at, voided_at, void_reason';

const insertStatement = sql<PaymentRow>(`
  with taken as (${nextNumber('$1', `'receipt'`)})
  insert into payments (clinic_id, id, payment_plan_id, amount_cents, payment_method, notes, receipt_number, balance_cents, paid_at)
  select $1, $2, $3, $4, $5, $6, taken.last, $7, $8 from taken
  returning ${COLUMNS}`);

/** Gives the payment the clinic's next receipt number. All payments of the clinic wait for that number, so this comes last. */
export function insertPayment(tx: TenantTx, payment: Omit<PaymentRow, 'receipt_number' | 'voided_at' | 'void_reason'>): Promise<PaymentRow> {
  const { id, payment_plan_id, amount_cents, payment_method, notes, balance_cents, paid_at } = payment;
  return getRow(tx, insertStatement, [tx.clinicId, id, payment_plan_id, amount_cents, payment_method, notes, balance_cents, paid_at]);
}

const findStatement = sql<PaymentRow>(`select ${COLUMNS} from payments where clinic_id = $1 and id = $2`);

export const findPayment = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);

const listStatement = sql<PaymentRow>(`
  select ${COLUMNS} from payments where clinic_id = $1 and payment_plan_id = $2 and voided_at is null order by paid_at, receipt_number`);

/** The payments of a plan that are not voided, the oldest first. */
export const listPayments = (tx: TenantTx, planId: string) => rows(tx, listStatement, [tx.clinicId, planId]);

const byReceiptStatement = sql<PaymentRow>(`
  select ${COLUMNS} from payments where clinic_id = $1 and payment_plan_id = $2 and receipt_number = any($3::int[]) order by paid_at, receipt_number`);

/** The payments of a plan with these receipts, voided or not, the oldest first. */
export const listPaymentsByReceipt = (tx: TenantTx, planId: string, receipts: number[]) => rows(tx, byReceiptStatement, [tx.clinicId, planId, receipts]);

const sumStatement = sql<{ paid: bigint }>(`
  select coalesce(sum(amount_cents), 0)::bigint as paid from payments where clinic_id = $1 and payment_plan_id = $2 and voided_at is null`);

/** The sum of the payments of a plan that are not voided. */
export const sumPayments = async (tx: TenantTx, planId: string) => (await row(tx, sumStatement, [tx.clinicId, planId]))?.paid ?? 0n;

const voidStatement = sql<PaymentRow>(`
  update payments set voided_at = $3, void_reason = $4 where clinic_id = $1 and id = $2 and voided_at is null returning ${COLUMNS}`);

/** Undefined when the payment is already voided. */
export const voidPayment = (tx: TenantTx, id: string, reason: string, now: Date) => row(tx, voidStatement, [tx.clinicId, id, now, reason]);
