// Options of treatment plans: alternatives with steps of their own. Callers hold the lock of the plan.
import { execute, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';

export type OptionRow = { id: string; treatment_plan_id: string; name: string; is_chosen: boolean };

/** Name of the option that a new plan has. */
export const FIRST_OPTION = 'Opción 1';

const COLUMNS = 'id, treatment_plan_id, name, is_chosen';

const insertStatement = sql(`
  insert into treatment_options (clinic_id, treatment_plan_id, id, name, is_chosen, created_at) values ($1, $2, $3, $4, $5, $6)`);

export const insertOption = (tx: TenantTx, option: OptionRow, now: Date) =>
  execute(tx, insertStatement, [tx.clinicId, option.treatment_plan_id, option.id, option.name, option.is_chosen, now]);

const listStatement = sql<OptionRow>(`
  select ${COLUMNS} from treatment_options where clinic_id = $1 and treatment_plan_id = $2 order by created_at, id`);

/** The options of a plan, the oldest first. */
export const listOptions = (tx: TenantTx, planId: string) => rows(tx, listStatement, [tx.clinicId, planId]);

const findStatement = sql<OptionRow>(`
  select ${COLUMNS} from treatment_options where clinic_id = $1 and treatment_plan_id = $2 and case when $3::uuid is null then is_chosen else id = $3 end`);

/** The option of the plan, or the chosen one when no id is given. */
export const findOption = (tx: TenantTx, planId: string, id: string | null) => row(tx, findStatement, [tx.clinicId, planId, id]);

const unchooseStatement = sql('update treatment_options set is_chosen = false where clinic_id = $1 and treatment_plan_id = $2 and is_chosen');
const chooseStatement = sql('update treatment_options set is_chosen = true where clinic_id = $1 and treatment_plan_id = $2 and id = $3');

const setTotalStatement = sql('update treatment_plans set given_total_cents = $3 where clinic_id = $1 and id = $2');

/**
 * Chooses an option that is not the chosen one. A total that a user has set is that of the option chosen until now: `total` replaces it, or null for
 * the sum of the steps. Two statements, because the unique index on the chosen option is checked row by row.
 */
export async function chooseOption(tx: TenantTx, { treatment_plan_id, id }: OptionRow, total: bigint | null): Promise<void> {
  const plan = [tx.clinicId, treatment_plan_id];
  await Promise.all([execute(tx, unchooseStatement, plan), execute(tx, chooseStatement, [...plan, id]), execute(tx, setTotalStatement, [...plan, total])]);
}

const deleteStatement = sql('delete from treatment_options where clinic_id = $1 and treatment_plan_id = $2 and id = $3');

export const deleteOption = (tx: TenantTx, planId: string, id: string) => execute(tx, deleteStatement, [tx.clinicId, planId, id]);
