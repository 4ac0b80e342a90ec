// Instalments of payment plans. They are inserted with the plan and never change.
import { execute, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Instalment } from './instalment-rules.ts';

const insertStatement = sql(`
  insert into payment_instalments (clinic_id, payment_plan_id, number, due_date, amount_cents)
  select $1, $2, number, due_date, amount_cents from unnest($3::int[], $4::date[], $5::bigint[]) as line (number, due_date, amount_cents)`);

export async function insertInstalments(tx: TenantTx, planId: string, instalments: Instalment[]): Promise<void> {
  const column = <K extends keyof Instalment>(key: K) => instalments.map((one) => one[key]);
  await execute(tx, insertStatement, [tx.clinicId, planId, column('number'), column('due_date'), column('amount_cents')]);
}

const listStatement = sql<Instalment>(`
  select number, due_date, amount_cents from payment_instalments where clinic_id = $1 and payment_plan_id = $2 order by number`);

export const listInstalments = (tx: TenantTx, planId: string) => rows(tx, listStatement, [tx.clinicId, planId]);
